#include "sim/jobs/diagnose/ranks_apart.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// Of each rank what it computes over the mean of its stage, the longest first.
std::vector<std::pair<double, std::uint32_t>> shares(const Diagnosis& diagnosis) {
  std::vector<double> sums(diagnosis.stages);
  std::vector<double> counts(diagnosis.stages);
  for (const RankUse& use : diagnosis.uses) {
    const JobRank& rank = diagnosis.ranks[use.rank];
    if (rank.serves)
      continue;
    sums[rank.stage] += use.computing.value;
    counts[rank.stage] += 1;
  }
  std::vector<std::pair<double, std::uint32_t>> found;
  for (const RankUse& use : diagnosis.uses)
    if (const JobRank& rank = diagnosis.ranks[use.rank]; !rank.serves && sums[rank.stage] > 0)
      found.emplace_back(use.computing.value * counts[rank.stage] / sums[rank.stage], use.rank);
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  return found;
}

/// The host that all of these ranks are on, and nobody else; empty: none, or it is not known.
std::string host_of_all(const Diagnosis& diagnosis, const std::vector<std::uint32_t>& ranks) {
  const std::string& host = diagnosis.ranks[ranks.front()].host;
  for (std::uint32_t rank = 0; rank < diagnosis.ranks.size(); ++rank)
    if (std::ranges::binary_search(ranks, rank) != (diagnosis.ranks[rank].host == host))
      return "";
  return host;
}

}  // namespace

std::vector<std::uint32_t> ranks_apart(const Diagnosis& diagnosis) {
  constexpr double kLeastGap = 0.03;
  const auto by_share = shares(diagnosis);
  std::size_t count = 0;
  double widest = kLeastGap;
  for (std::size_t i = 1; 2 * i <= by_share.size(); ++i)
    if (const double gap = by_share[i - 1].first - by_share[i].first; gap > widest) {
      widest = gap;
      count = i;
    }
  if (count == 0 || 2 * widest < by_share.front().first - by_share.back().first)
    return {};
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < count; ++i)
    ranks.push_back(by_share[i].second);
  std::ranges::sort(ranks);
  return ranks;
}

std::string in_words(const Diagnosis& diagnosis, const std::vector<std::uint32_t>& ranks) {
  const bool servers =
      std::ranges::any_of(ranks, [&](std::uint32_t rank) { return diagnosis.ranks[rank].serves; });
  std::string words = servers ? "" : ranks.size() == 1 ? "rank " : "ranks ";
  for (const std::uint32_t rank : ranks)
    words +=
        fmt::format("{}{}", rank == ranks.front() ? "" : ", ", label_of(diagnosis.ranks[rank]));
  const std::string host = host_of_all(diagnosis, ranks);
  return ranks.size() == 1 || host.empty() ? words : fmt::format("node {} ({})", host, words);
}

}  // namespace stepcast
