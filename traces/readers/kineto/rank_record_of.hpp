#pragma once

#include <string>

#include "traces/readers/kineto/device_work.hpp"
#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// What of a rank's trace is compared with the other ranks'. Collectives of a part of the ranks
/// that is not known, and those that a rank may leave early (broadcast, reduce, send) are left out.
RankRecord rank_record_of(const KinetoTrace& trace, const KinetoView& view,
                          const std::string& origin);

}  // namespace stepcast
