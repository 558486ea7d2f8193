#include <algorithm>

#include "models/base/enum_name.hpp"
#include "models/collective/collective.hpp"

namespace stepcast {
namespace {

template <class Enum>
std::optional<Enum> find_name(const std::vector<Enum>& all, std::string_view name) {
  const auto found = std::ranges::find_if(all, [&](Enum value) { return name == name_of(value); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

const char* name_of(CollectiveKind kind) {
  return name_among(
      {"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce", "send"},
      kind);
}

const char* name_of(Algorithm algorithm) {
  return name_among({"ring", "hierarchical-ring", "double-binary-tree", "halving-doubling",
                     "pairwise", "chain", "star", "binomial-tree", "direct", "nccl"},
                    algorithm);
}

const std::vector<CollectiveKind>& all_collective_kinds() {
  static const std::vector<CollectiveKind> kinds{
      CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
      CollectiveKind::AllToAll,  CollectiveKind::Broadcast,     CollectiveKind::Reduce,
      CollectiveKind::Send};
  return kinds;
}

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> algorithms{Algorithm::Ring,
                                                 Algorithm::HierarchicalRing,
                                                 Algorithm::DoubleBinaryTree,
                                                 Algorithm::HalvingDoubling,
                                                 Algorithm::Pairwise,
                                                 Algorithm::Chain,
                                                 Algorithm::Star,
                                                 Algorithm::BinomialTree,
                                                 Algorithm::Direct,
                                                 Algorithm::Nccl};
  return algorithms;
}

std::optional<CollectiveKind> find_collective_kind(std::string_view name) {
  return find_name(all_collective_kinds(), name);
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  return find_name(all_algorithms(), name);
}

}  // namespace stepcast
