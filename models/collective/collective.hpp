#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "models/network/collective_kind.hpp"

namespace stepcast {

enum class Algorithm : std::uint8_t {
  Ring,              ///< all-reduce, reduce-scatter, all-gather
  HierarchicalRing,  ///< same; ring inside each node, then between nodes
  DoubleBinaryTree,  ///< all-reduce, broadcast, reduce (Sanders, Speck, Traeff 2009; as in NCCL)
  HalvingDoubling,   ///< all-reduce, reduce-scatter, all-gather (Thakur, Rabenseifner, Gropp 2005)
  Pairwise,          ///< all-to-all
  Chain,             ///< broadcast, reduce; pipelined
  Star,              ///< broadcast, reduce; of a parameter server: its node's GPUs hold parts
  BinomialTree,      ///< broadcast, reduce; the whole buffer in ceil(log2 P) rounds
  Direct,            ///< send
  Nccl,              ///< all-reduce: ring or tree and protocol, as NCCL's tuner would choose
};

/// One collective operation as a value. Sizes follow nccl-tests: `size` is the full buffer, i.e.
/// the input of an all-reduce, broadcast, reduce or reduce-scatter, the output of an all-gather,
/// and what one rank sends in total (its own share included) in an all-to-all. A send's size is
/// that of each of its messages.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Algorithm algorithm = Algorithm::Ring;
  Bytes size{};
  std::uint32_t root = 0;  ///< Index within the group; broadcast and reduce only.
  /// Ring all-gather: the part that each member contributes; pairwise all-to-all: the part of what
  /// everybody sends that each member receives. Relative to their sum, none below 0. Empty: equal.
  std::vector<double> shares{};
};

auto fields_of(Is<Collective> auto& collective) {
  auto& [kind, algorithm, size, root, shares] = collective;
  return std::tie(kind, algorithm, size, root, shares);
}

/// A message of one step, or the sum of a ring edge's messages.
struct Message {
  Rank from = 0;
  Rank to = 0;
  Bytes size{};
  /// Another on its edge, so closely that its start-up is hidden by that one.
  bool follows = false;
};

/// Messages that move at the same time. `startup` is paid once, before they move.
struct Phase {
  Seconds startup{};              ///< Steps of the phase times the start-up of the slowest edge.
  std::vector<Message> messages;  ///< One per edge, with the bytes of all its steps.
};

/// `repeat` rounds of the same messages. A rank sends its message of a round after its messages of
/// the round before (sent and received) are done; the sender pays startup_of(cluster, from, to),
/// but for one that follows.
struct Round {
  std::vector<Message> messages;
  std::uint32_t repeat = 1;
};

/// What `step` fidelity replays.
struct StepPlan {
  std::vector<Round> rounds;
  bool barrier = false;  ///< Every round waits for the whole round before (trees).
};

/// The algorithm used where the user names none: ring, pairwise or chain.
Algorithm default_algorithm(CollectiveKind kind);

/// The part of `size` that belongs to each of `ranks` members, by `shares`.
std::vector<Bytes> parts_of(const Collective& collective, std::uint32_t ranks);

/// Whether `algorithm` implements `kind`.
bool supports(Algorithm algorithm, CollectiveKind kind);

/// Those of a collective of its own. Not the star, though it implements a server's pulls and
/// pushes: each GPU of the root's node has a part of the buffer, which a broadcast of one rank
/// would first have to bring there.
std::vector<Algorithm> algorithms_for(CollectiveKind kind);

/// Time on an idle network: by the cluster's measured curves where they cover the collective (see
/// find_measured_time), else by closed form. 0 for a group of one or a size of 0.
/// Throws InputError if the algorithm does not implement the kind, or if there are shares but not
/// one for each member, or where the algorithm cannot follow them.
Seconds cost_of(const Collective& collective, const Group& group, const Cluster& cluster);

/// What a collective takes before it moves: Software::collective_launch, and point_to_point_launch
/// for messages between nodes.
Seconds launch_of(const Collective& collective, const Group& group, const Cluster& cluster);

/// The phases that `flow` fidelity replays one after the other: edge flows between nodes, or inside
/// the node when the group has one node only. On an idle network they take cost_of. Same
/// preconditions as cost_of.
std::vector<Phase> edge_flows_of(const Collective& collective, const Group& group,
                                 const Cluster& cluster);

/// The same by closed form alone: every byte of the algorithm, whatever the curves say of its time.
std::vector<Phase> closed_form_flows_of(const Collective& collective, const Group& group,
                                        const Cluster& cluster);

/// Every message of the algorithm, over the links alone: measured curves know no messages.
StepPlan steps_of(const Collective& collective, const Group& group, const Cluster& cluster);

/// Bytes that one rank sends, on average over the group.
Bytes sent_per_rank(const Collective& collective, std::uint32_t ranks);

/// Bus bandwidth over algorithm bandwidth as nccl-tests defines it: all-reduce 2(n-1)/n;
/// reduce-scatter, all-gather, all-to-all (n-1)/n; broadcast, reduce, send 1.
double bus_factor(CollectiveKind kind, std::uint32_t ranks);

/// "all-reduce", "ring", ... and back; every name, in the order of the enum.
const char* name_of(CollectiveKind kind);
const char* name_of(Algorithm algorithm);
std::optional<CollectiveKind> find_collective_kind(std::string_view name);
std::optional<Algorithm> find_algorithm(std::string_view name);
const std::vector<CollectiveKind>& all_collective_kinds();
const std::vector<Algorithm>& all_algorithms();

}  // namespace stepcast
