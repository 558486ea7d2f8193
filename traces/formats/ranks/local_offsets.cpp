#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/base/statistics.hpp"
#include "traces/formats/ranks/end_matching.hpp"

// The best path is found step by step, forth and back (Viterbi). Cost: where a clock may have been
// set anew, each step's ends are sorted once and looked at for each of up to nine offsets.

namespace stepcast {
namespace {

using Collectives = std::span<const RankCollective>;
constexpr std::size_t kPairsOfAnOffset = 3;  // Pairs that tell an offset.

using Places = std::vector<std::uint32_t>;

/// The usual offset, then others that pairs share: the most shared first.
std::vector<Seconds> possible_offsets(Collectives a, Collectives b, Seconds usual) {
  constexpr Seconds kApart{1e-3};
  constexpr std::size_t kMost = 9;
  std::vector<Seconds> apart;
  for (const auto& [mine, other] : pair_by_sequence(a, b))
    if (const Seconds by = b[other].end - a[mine].end; std::abs((by - usual).value) > kApart.value)
      apart.push_back(by);
  std::ranges::sort(apart);
  std::vector<std::vector<Seconds>> shared;  // Each within a millisecond.
  for (const Seconds by : apart) {
    if (shared.empty() || by - shared.back().front() > kApart)
      shared.emplace_back();
    shared.back().push_back(by);
  }
  std::erase_if(shared, [](const auto& of) { return of.size() < kPairsOfAnOffset; });
  std::ranges::stable_sort(shared, std::ranges::greater{}, &std::vector<Seconds>::size);
  std::vector<Seconds> offsets{usual};
  for (const std::vector<Seconds>& of : shared)
    if (offsets.size() < kMost)
      offsets.push_back(median_of(of));
  return offsets;
}

std::map<std::uint32_t, Places> by_step(Collectives all, const Places& places) {
  std::map<std::uint32_t, Places> steps;
  for (const std::uint32_t place : places)
    steps[all[place].step].push_back(place);
  for (auto& [step, of_step] : steps)
    std::ranges::stable_sort(of_step, {}, [&](std::uint32_t place) { return all[place].end; });
  return steps;
}

/// How many of two lists, in order of their ends, end together.
double count_together(Collectives a, const Places& mine, Collectives b, const Places& others,
                      Seconds offset) {
  double count = 0;
  for (std::size_t i = 0, k = 0; i < mine.size() && k < others.size();) {
    const RankCollective& one = a[mine[i]];
    const RankCollective& other = b[others[k]];
    const Seconds apart = other.end - offset - one.end;
    if (std::abs(apart.value) <= end_tolerance(one, other).value) {
      ++count;
      ++i;
      ++k;
    } else {
      ++(apart > Seconds{} ? i : k);
    }
  }
  return count;
}

/// Of each step of `b` how many collectives end together by each offset.
std::map<std::uint32_t, std::vector<double>> counts_together(Collectives a, Collectives b,
                                                             const std::vector<Seconds>& offsets) {
  std::map<std::uint32_t, std::vector<double>> counts;
  for (const RankCollective& done : b)
    counts.try_emplace(done.step, offsets.size());
  for_common_classes(a, b, [&](const auto& mine, const auto& others) {
    const auto steps = by_step(a, mine);
    for (const auto& [step, places] : by_step(b, others))
      if (const auto found = steps.find(step); found != steps.end())
        for (std::size_t i = 0; i < offsets.size(); ++i)
          counts[step][i] += count_together(a, found->second, b, places, offsets[i]);
  });
  return counts;
}

/// The offset in each step under which most end together.
std::map<std::uint32_t, std::size_t> best_path(
    const std::map<std::uint32_t, std::vector<double>>& counts, std::size_t offsets) {
  constexpr double kOfChange = 1.5;
  std::vector<double> best(offsets);
  std::vector<std::vector<std::size_t>> from;  // By step: which came before each.
  for (const auto& [step, of_step] : counts) {
    const auto most = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
    std::vector<double> next;
    from.emplace_back();
    for (std::size_t i = 0; i < offsets; ++i) {
      const bool changes = best[most] - kOfChange > best[i];
      from.back().push_back(changes ? most : i);
      next.push_back(of_step[i] + (changes ? best[most] - kOfChange : best[i]));
    }
    best = std::move(next);
  }
  auto at = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
  std::map<std::uint32_t, std::size_t> path;
  auto came = from.rbegin();
  for (auto step = counts.rbegin(); step != counts.rend(); ++step, ++came) {
    path[step->first] = at;
    at = (*came)[at];
  }
  return path;
}

}  // namespace

std::vector<Seconds> offsets_along(Collectives a, Collectives b, Seconds usual) {
  const std::vector<Seconds> offsets = possible_offsets(a, b, usual);
  if (offsets.size() == 1)
    return std::vector(b.size(), usual);
  const auto path = best_path(counts_together(a, b, offsets), offsets.size());
  std::vector<Seconds> along;
  for (const RankCollective& done : b)
    along.push_back(offsets[path.at(done.step)]);
  return along;
}

}  // namespace stepcast
