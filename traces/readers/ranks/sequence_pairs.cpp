#include "traces/readers/ranks/sequence_pairs.hpp"

#include <map>
#include <tuple>

namespace stepcast {
namespace {

using Collectives = std::span<const RankCollective>;

void pair_by_number(Collectives a, Collectives b, CollectivePairs& pairs) {
  using Number = std::tuple<std::vector<std::uint32_t>, CollectiveKind,
                            std::optional<std::uint32_t>, std::uint64_t>;
  std::map<Number, std::uint32_t> places;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    if (a[i].sequence)
      places.emplace(Number{a[i].group, a[i].kind, a[i].sender, *a[i].sequence}, i);
  for (std::uint32_t i = 0; i < b.size(); ++i)
    if (b[i].sequence)
      if (const auto found = places.find({b[i].group, b[i].kind, b[i].sender, *b[i].sequence});
          found != places.end()) {
        pairs.emplace_back(found->second, i);
        places.erase(found);
      }
}

/// The n-th of a class in each step in which both recorded as many.
void pair_by_count(Collectives a, Collectives b, CollectivePairs& pairs) {
  using Steps = std::map<std::uint32_t, std::vector<std::uint32_t>>;
  const auto by_step = [](Collectives all, const std::vector<std::uint32_t>& places) {
    Steps steps;
    for (const std::uint32_t place : places)
      if (!all[place].sequence)
        steps[all[place].step].push_back(place);
    return steps;
  };
  for_common_classes(a, b, [&](const auto& mine, const auto& others) {
    Steps other_steps = by_step(b, others);
    for (const auto& [step, places] : by_step(a, mine)) {
      const std::vector<std::uint32_t>& matching = other_steps[step];
      for (std::size_t i = 0; i < places.size() && matching.size() == places.size(); ++i)
        pairs.emplace_back(places[i], matching[i]);
    }
  });
}

}  // namespace

CollectivePairs pair_by_sequence(Collectives a, Collectives b) {
  CollectivePairs pairs;
  pair_by_number(a, b, pairs);
  pair_by_count(a, b, pairs);
  return pairs;
}

}  // namespace stepcast
