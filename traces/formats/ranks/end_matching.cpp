#include "traces/formats/ranks/end_matching.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/base/statistics.hpp"

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

namespace {

using Collectives = std::span<const RankCollective>;

constexpr Seconds kMostApart{1e-3};  // Ends of one collective.

Seconds difference_of_ends(const RankCollective& a, const RankCollective& b) {
  return b.end - a.end;
}

bool ends_together(const RankCollective& a, const RankCollective& b, Seconds offset) {
  const Seconds apart = difference_of_ends(a, b) - offset;
  return Seconds{std::abs(apart.value)} <= end_tolerance(a, b);
}

/// The median difference of ends, if most pairs lie near it.
std::optional<Seconds> offset_of(Collectives a, Collectives b, const CollectivePairs& pairs) {
  if (pairs.empty())
    return std::nullopt;
  std::vector<Seconds> differences;
  for (const auto& [mine, other] : pairs)
    differences.push_back(difference_of_ends(a[mine], b[other]));
  const Seconds median = median_of(differences);
  const auto near = std::ranges::count_if(pairs, [&](const auto& pair) {
    return ends_together(a[pair.first], b[pair.second], median);
  });
  return 2 * static_cast<std::size_t>(near) > pairs.size() ? std::optional(median) : std::nullopt;
}

/// Differences of the ends of every two collectives that may be the same, ascending. Of long lists
/// the fronts.
std::vector<Seconds> all_differences(Collectives a, Collectives b) {
  constexpr std::size_t kMost = 1000;
  std::vector<Seconds> differences;
  for_common_classes(a.first(std::min(a.size(), kMost)), b.first(std::min(b.size(), kMost)),
                     [&](const auto& mine, const auto& others) {
                       for (const std::uint32_t i : mine)
                         for (const std::uint32_t k : others)
                           differences.push_back(difference_of_ends(a[i], b[k]));
                     });
  std::ranges::sort(differences);
  return differences;
}

/// So many differences from this one on that lie within the tolerance.
struct Cluster {
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<Cluster> clusters_of(const std::vector<Seconds>& differences) {
  std::vector<Cluster> clusters;
  std::size_t end = 0;
  for (std::size_t first = 0; first < differences.size(); ++first) {
    while (end < differences.size() && differences[end] - differences[first] <= kMostApart)
      ++end;
    clusters.push_back({first, end - first});
  }
  return clusters;
}

/// The difference that most compatible pairs share. Of those that nearly as many share, as where
/// steps repeat, the one that pairs of equal sequence share most, then the nearest to zero.
std::optional<Seconds> most_common_offset(Collectives a, Collectives b) {
  constexpr std::size_t kFewest = 3;
  constexpr double kAsMany =
      0.8;  // Of the most: a pattern that repeats fits nearly as well shifted.
  const std::vector<Seconds> differences = all_differences(a, b);
  const std::vector<Cluster> clusters = clusters_of(differences);
  const auto most = std::ranges::max_element(clusters, {}, &Cluster::count);
  if (most == clusters.end() || most->count < kFewest)
    return std::nullopt;
  const double enough = kAsMany * static_cast<double>(most->count);
  const CollectivePairs told = pair_by_sequence(a, b);
  const auto rank_of = [&](Seconds middle) {
    const auto near = std::ranges::count_if(told, [&](const auto& pair) {
      return ends_together(a[pair.first], b[pair.second], middle);
    });
    return std::pair(near, -std::abs(middle.value));
  };
  std::optional<Seconds> best;
  for (const Cluster& cluster : clusters) {
    if (static_cast<double>(cluster.count) < enough)
      continue;
    const Seconds middle = differences[cluster.first + cluster.count / 2];
    if (!best || rank_of(middle) > rank_of(*best))
      best = middle;
  }
  return best;
}

/// Marks of the places of two lists that are in a pair.
struct Taken {
  std::vector<bool> mine;
  std::vector<bool> others;
};

void add(std::pair<std::uint32_t, std::uint32_t> pair, CollectivePairs& pairs, Taken& taken) {
  pairs.push_back(pair);
  taken.mine[pair.first] = true;
  taken.others[pair.second] = true;
}

/// When collectives ended by another clock, which is so much behind theirs at each.
class Ends {
 public:
  Ends(Collectives all, const std::vector<Seconds>& offsets) {
    for (std::size_t i = 0; i < all.size(); ++i)
      ends_.push_back(all[i].end - offsets[i]);
  }
  Seconds of(std::uint32_t place) const { return ends_[place]; }

 private:
  std::vector<Seconds> ends_;
};

/// The nearest free one among `others`, which are in order of their ends; none if its end is
/// further off than tolerated.
std::optional<std::uint32_t> nearest(const RankCollective& mine, Collectives b,
                                     const std::vector<std::uint32_t>& others, const Ends& ends,
                                     const Taken& taken) {
  const auto end_of = [&](std::uint32_t other) { return ends.of(other); };
  std::optional<std::uint32_t> best;
  for (auto at = std::ranges::lower_bound(others, mine.end - kMostApart, {}, end_of);
       at != others.end() && end_of(*at) <= mine.end + kMostApart; ++at) {
    const auto apart = [&](std::uint32_t other) {
      return Seconds{std::abs((end_of(other) - mine.end).value)};
    };
    if (!taken.others[*at] && apart(*at) <= end_tolerance(mine, b[*at]) &&
        (!best || apart(*at) < apart(*best)))
      best = *at;
  }
  return best;
}

}  // namespace

Seconds end_tolerance(const RankCollective& a, const RankCollective& b) {
  constexpr Seconds kLeast{50e-6};
  const Seconds shorter = std::min(a.end - a.begin, b.end - b.begin);
  return std::clamp(shorter / 2, kLeast, kMostApart);
}

std::optional<Seconds> find_clock_offset(Collectives a, Collectives b) {
  if (const auto offset = offset_of(a, b, pair_by_sequence(a, b)))
    return offset;
  const auto shared = most_common_offset(a, b);
  return shared ? offset_of(a, b, pair_by_ends(a, b, std::vector(b.size(), *shared)))
                : std::nullopt;
}

CollectivePairs pair_by_ends(Collectives a, Collectives b, const std::vector<Seconds>& offsets) {
  CollectivePairs pairs;
  const Ends ends(b, offsets);
  Taken taken{std::vector<bool>(a.size()), std::vector<bool>(b.size())};
  for (const auto& pair : pair_by_sequence(a, b))
    if (ends_together(a[pair.first], b[pair.second], offsets[pair.second]))
      add(pair, pairs, taken);
  for_common_classes(a, b, [&](const auto& mine, const auto& others) {
    std::vector<std::uint32_t> free;
    std::ranges::copy_if(others, std::back_inserter(free),
                         [&](std::uint32_t other) { return !taken.others[other]; });
    std::ranges::stable_sort(free, {}, [&](std::uint32_t other) { return ends.of(other); });
    for (const std::uint32_t place : mine)
      if (!taken.mine[place])
        if (const auto other = nearest(a[place], b, free, ends, taken))
          add({place, *other}, pairs, taken);
  });
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace stepcast
