#include <algorithm>
#include <cassert>

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
  switch (kind) {
    case CollectiveKind::AllReduce:
      return "all-reduce";
    case CollectiveKind::ReduceScatter:
      return "reduce-scatter";
    case CollectiveKind::AllGather:
      return "all-gather";
    case CollectiveKind::AllToAll:
      return "all-to-all";
    case CollectiveKind::Broadcast:
      return "broadcast";
    case CollectiveKind::Reduce:
      return "reduce";
    case CollectiveKind::Send:
      return "send";
  }
  assert(false);
  return "";
}

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Ring:
      return "ring";
    case Algorithm::HierarchicalRing:
      return "hierarchical-ring";
    case Algorithm::DoubleBinaryTree:
      return "double-binary-tree";
    case Algorithm::HalvingDoubling:
      return "halving-doubling";
    case Algorithm::Pairwise:
      return "pairwise";
    case Algorithm::Chain:
      return "chain";
    case Algorithm::Star:
      return "star";
    case Algorithm::BinomialTree:
      return "binomial-tree";
    case Algorithm::Direct:
      return "direct";
  }
  assert(false);
  return "";
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
                                                 Algorithm::Direct};
  return algorithms;
}

std::optional<CollectiveKind> find_collective_kind(std::string_view name) {
  return find_name(all_collective_kinds(), name);
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  return find_name(all_algorithms(), name);
}

}  // namespace stepcast
