#pragma once

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "models/network/collective_kind.hpp"
#include "models/network/team.hpp"

namespace stepcast {

/// What a collective of the team takes on an otherwise idle network, all groups of the team at
/// once.
Seconds transfer_time(CollectiveKind kind, const Team& team, Bytes size, const Cluster& cluster);

/// How many bytes a collective of the team moves in so long, see transfer_time(). Throws InputError
/// if one byte takes longer, or a petabyte does not.
Bytes transfer_size(CollectiveKind kind, const Team& team, Seconds time, const Cluster& cluster);

}  // namespace stepcast
