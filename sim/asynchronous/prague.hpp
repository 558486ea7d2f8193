#pragma once

#include <cstdint>
#include <vector>

#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// Who makes the groups.
enum class GroupGenerator : std::uint8_t {
  Static,  ///< By a table over worker and iteration: no conflict, nobody to ask. Four a node.
  Random,  ///< The one who asks and others at random, one group after the other where they overlap.
  Smart,   ///< Group buffers, filled by dividing all who have none.
  /// Whoever comes within a window (Hetu's partial reduce, Miao et al., SIGMOD 2021). In which
  /// order those come who come at once is drawn: its threads meet at a lock.
  FirstK,
};

struct PragueOptions {
  GroupGenerator generator = GroupGenerator::Smart;
  std::uint32_t group = 3;      ///< Members; FirstK: at most.
  std::uint32_t threshold = 4;  ///< Smart: leaves out who is so many iterations behind; 0: nobody.
  bool inter_intra = false;     ///< Smart: one of every node, then all of a node.
  Seconds window{1e-3};         ///< FirstK: from the first arrival.
  Seconds communicator{};       ///< Making one, the first time a group meets.
  std::uint32_t communicators = 60;  ///< Kept.
};

/// Prague (Luo et al., ASPLOS 2020): compute, update, meet a group, average, next. Static: every
/// worker does job.iterations; else all together workers x iterations. Throws InputError for a
/// static table without four workers a node, SimulationError naming who waits if all do.
ProtocolRun run_prague(const ProtocolJob& job, const PragueOptions& options);

/// Iterations after which the static table begins anew.
inline constexpr std::uint32_t kStaticPeriod = 4;

/// The group of a worker in an iteration of the static table.
std::vector<Rank> static_group_of(Rank rank, std::uint32_t iteration, std::uint32_t workers);

}  // namespace stepcast
