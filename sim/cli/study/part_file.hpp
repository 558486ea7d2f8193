#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// Every `of`-th combination of a study, from the `number`-th on; both count from 1.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
};

/// "2/8". Throws InputError `--shard: expected ...`.
Shard parse_shard(const std::string& text);

/// The combinations of the shard, in their order, with their places in the whole study.
struct ShardedSweep {
  Sweep sweep;
  std::vector<std::uint32_t> places;
};
ShardedSweep shard_of(const Sweep& sweep, const Shard& shard);

/// A part of a study as text: a line of what study it is of, then a line for each combination with
/// all that a report says of it, then one that says that it is whole. Only the same version of the
/// program reads it.
std::string part_text(const Sweep& whole, const ShardedSweep& part, const Shard& shard,
                      const std::vector<SweepResult>& results, bool keep_going);

/// A study put together of its parts: what reports need of the sweep, and its results in order.
struct MergedStudy {
  Sweep sweep;
  std::vector<SweepResult> results;
  bool keep_going = false;
};

/// Throws InputError that names parts which are missing (unless `partial`) or there twice, are of
/// another study, of another version, or not whole.
MergedStudy merged_study(const std::vector<std::string>& files, bool partial = false);

}  // namespace stepcast
