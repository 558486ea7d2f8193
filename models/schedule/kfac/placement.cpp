#include "models/schedule/kfac/placement.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast::kfac {
namespace {

void check_ranks(std::uint32_t ranks) {
  if (ranks == 0)
    throw InputError("placement: expected at least one rank, found 0");
}

/// Item numbers, those of the largest key first; equal ones stay in order.
template <class Key>
std::vector<std::size_t> descending(std::size_t items, Key key) {
  std::vector<std::size_t> order(items);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, key);
  return order;
}

Rank least_loaded(std::span<const double> loads) {
  return static_cast<Rank>(std::ranges::min_element(loads) - loads.begin());
}

/// sums[i]: weight of the first i items.
std::vector<double> prefix_sums(std::span<const double> weights) {
  std::vector<double> sums{0};
  for (const double weight : weights)
    sums.push_back(sums.back() + weight);
  return sums;
}

}  // namespace

std::vector<Rank> place_in_turn(std::size_t items, std::uint32_t ranks) {
  check_ranks(ranks);
  std::vector<Rank> owners(items);
  for (std::size_t i = 0; i < items; ++i)
    owners[i] = static_cast<Rank>(i % ranks);
  return owners;
}

std::vector<Rank> place_balanced(std::span<const std::uint32_t> sides,
                                 const std::vector<bool>& everywhere, std::uint32_t ranks) {
  check_ranks(ranks);
  assert(everywhere.size() == sides.size());
  std::vector<double> loads(ranks);
  std::vector<Rank> owners(sides.size(), kEveryRank);
  for (const std::size_t item : descending(sides.size(), [&](std::size_t i) { return sides[i]; })) {
    if (everywhere[item])
      continue;
    owners[item] = least_loaded(loads);
    loads[owners[item]] += sides[item];
  }
  return owners;
}

double smallest_bottleneck(std::span<const double> weights, std::uint32_t blocks) {
  check_ranks(blocks);
  const std::vector<double> sums = prefix_sums(weights);
  std::vector<double> best = sums;  // of one block: the whole prefix
  for (std::uint32_t block = 1; block < blocks; ++block) {
    std::vector<double> next = best;
    for (std::size_t end = 1; end < sums.size(); ++end)
      for (std::size_t begin = end; begin-- > 0 && sums[end] - sums[begin] < next[end];)
        next[end] = std::min(next[end], std::max(best[begin], sums[end] - sums[begin]));
    best = std::move(next);
  }
  return best.back();
}

std::vector<Rank> place_contiguous(std::span<const double> weights, std::uint32_t ranks) {
  const double bottleneck = smallest_bottleneck(weights, ranks);
  const double limit = bottleneck * (1 + 1e-12);
  std::vector<Rank> owners;
  double load = 0;
  Rank rank = 0;
  for (std::size_t item = 0; item < weights.size(); ++item) {
    const std::size_t left = weights.size() - item;  // this item included
    const bool full = load + weights[item] > limit;
    const bool others_starve = left <= ranks - 1 - rank;
    if (!owners.empty() && (full || others_starve) && rank + 1 < ranks && owners.back() == rank) {
      ++rank;
      load = 0;
    }
    owners.push_back(rank);
    load += weights[item];
  }
  return owners;
}

Grid grid_of(std::uint32_t ranks, double grad_worker_fraction) {
  check_ranks(ranks);
  if (!(grad_worker_fraction > 0 && grad_worker_fraction <= 1))
    throw InputError(
        fmt::format("expected a fraction above 0 and up to 1, found {}", grad_worker_fraction));
  const auto workers =
      std::max(1U, static_cast<std::uint32_t>(std::lround(ranks * grad_worker_fraction)));
  if (ranks % workers != 0)
    throw InputError(
        fmt::format("expected a fraction that makes the grad workers divide the {} ranks, found {} "
                    "({} grad workers)",
                    ranks, grad_worker_fraction, workers));
  return {.columns = ranks / workers, .grad_workers = workers};
}

Grid quarter_grid_of(std::uint32_t ranks) {
  check_ranks(ranks);
  const auto distance = [ranks](std::uint32_t workers) { return std::abs(4.0 * workers - ranks); };
  std::uint32_t nearest = 1;
  for (std::uint32_t workers = 2; workers <= ranks; ++workers)
    if (ranks % workers == 0 && distance(workers) <= distance(nearest))
      nearest = workers;
  return {.columns = ranks / nearest, .grad_workers = nearest};
}

std::vector<Rank> column_of(const Grid& grid, std::uint32_t column) {
  std::vector<Rank> ranks;
  for (std::uint32_t row = 0; row < grid.grad_workers; ++row)
    ranks.push_back(row * grid.columns + column);
  return ranks;
}

std::vector<Rank> row_of(const Grid& grid, std::uint32_t row) {
  std::vector<Rank> ranks(grid.columns);
  std::iota(ranks.begin(), ranks.end(), row * grid.columns);
  return ranks;
}

std::vector<GridPlace> place_on_grid(std::span<const LayerCost> layers, const Grid& grid) {
  std::vector<std::vector<double>> loads(grid.columns, std::vector<double>(grid.grad_workers));
  std::vector<double> column_loads(grid.columns);
  std::vector<GridPlace> places(layers.size());
  const auto place = [&](std::uint32_t column, double cost) {
    const Rank row = least_loaded(loads[column]);
    loads[column][row] += cost;
    return row * grid.columns + column;
  };
  const auto total = [&](std::size_t i) { return layers[i].a + layers[i].g; };
  for (const std::size_t layer : descending(layers.size(), total)) {
    const auto [a, g] = layers[layer];
    GridPlace& found = places[layer];
    found.column = least_loaded(column_loads);
    column_loads[found.column] += a + g;
    if (a >= g)
      found.inverts_a = place(found.column, a);
    found.inverts_g = place(found.column, g);
    if (a < g)
      found.inverts_a = place(found.column, a);
  }
  return places;
}

}  // namespace stepcast::kfac
