#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/base/units.hpp"

namespace stepcast {

/// What Megatron-LM's timers say of a step on one rank: all micro-batches, all that the rank holds,
/// with the messages inside layers.
struct MegatronTimers {
  Seconds forward{};
  Seconds backward{};
  std::size_t intervals = 0;  ///< That were logged; medians of them, but of the first.
};

/// Whether a text has lines of these timers.
bool has_megatron_timers(std::string_view text);

/// The timers `forward-compute` and `backward-compute` of a log (`--timing-log-level 2`), as the
/// releases write them: "time (ms) | forward-compute: 31.57 | ..", a line for each with a number,
/// or with "(least, most)" over the ranks, whose middle counts. Throws InputError that begins with
/// `origin` where there are none, or where the ranks' differ by more than a tenth: then they hold
/// unequal stages, and no block's share can be told.
MegatronTimers parse_megatron_timers(std::string_view text, const std::string& origin);

}  // namespace stepcast
