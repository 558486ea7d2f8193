#pragma once

#include <cstdint>
#include <string>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

// A part of a study as text: a line of what study it is of, then a line for each combination with
// all that a report says of it, then one that says that it is whole. Only the same version of the
// program reads it; see merged_study.hpp.

/// Every `of`-th combination of a study, from the `number`-th on; both count from 1.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
};

/// "2/8". Throws InputError `--shard: expected ...`.
Shard parse_shard(const std::string& text);

SweepPlaces places_of(const Shard& shard);

/// The same for all parts of a study: its inputs by the first schedule of each scenario, what
/// varies, and the version of the program.
std::string study_of(const SweepRequest& request);

/// The first line. `study` is study_of() its request, `sweep` any piece of it.
std::string part_head(const std::string& study, const Shard& shard, const Sweep& sweep,
                      bool keep_going);
std::string part_line(const Sweep& sweep, std::uint32_t combination, const Forecast& forecast);
/// Of one that was refused, or whose worker died.
std::string part_line(const Sweep& sweep, std::uint32_t combination, const SweepText& refused);
std::string part_end();

}  // namespace stepcast
