#pragma once
// Who inverts which Kronecker factor: the placement rules of the K-FAC systems as plain functions.
// All are deterministic: of equals the first rank, or the first item, is taken.

#include <cstdint>
#include <span>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast::kfac {

/// Owner of one item where every rank does it.
inline constexpr Rank kEveryRank = ~Rank{0};

/// Round robin: item i belongs to rank i mod ranks. Throws InputError for no ranks, as all of
/// these.
std::vector<Rank> place_in_turn(std::size_t items, std::uint32_t ranks);

/// SPD-KFAC's load-balancing placement: items in descending order of their side; small ones
/// (`everywhere[i]`) go to every rank, each other to the rank with the least load so far, where
/// it adds its side. `everywhere` has one entry an item.
std::vector<Rank> place_balanced(std::span<const std::uint32_t> sides,
                                 const std::vector<bool>& everywhere, std::uint32_t ranks);

/// PAD-KFAC: contiguous blocks with the smallest possible largest block, found by dynamic
/// programming on the bottleneck, B[p, i] = min over j of max(B[p-1, j], weight of j..i-1). Ranks
/// then fill up greedily to the bottleneck, but leave an item for every later rank while items
/// last, so that no rank is idle.
std::vector<Rank> place_contiguous(std::span<const double> weights, std::uint32_t ranks);

/// The smallest possible weight of the heaviest of `blocks` contiguous blocks.
double smallest_bottleneck(std::span<const double> weights, std::uint32_t blocks);

/// KAISA's grid of grad_workers x (ranks / grad_workers). Column c holds the grad workers c, c +
/// columns, c + 2 columns, ..; row r the ranks r * columns .. (r + 1) * columns - 1, which receive
/// from the one of them that is in a layer's column.
struct Grid {
  std::uint32_t columns = 1;
  std::uint32_t grad_workers = 1;
};

/// max(1, ranks * fraction) grad workers. Throws InputError if fraction is not in (0, 1] or the
/// grad workers do not divide the ranks.
Grid grid_of(std::uint32_t ranks, double grad_worker_fraction);

/// The grid whose grad workers divide the ranks and are nearest to a quarter of them; of two as
/// near, the larger. Where a quarter divides the ranks it is that of grid_of(ranks, 0.25).
Grid quarter_grid_of(std::uint32_t ranks);
std::vector<Rank> column_of(const Grid& grid, std::uint32_t column);
std::vector<Rank> row_of(const Grid& grid, std::uint32_t row);

/// Where one layer is preconditioned and its factors are inverted.
struct GridPlace {
  std::uint32_t column = 0;
  Rank inverts_a = 0;
  Rank inverts_g = 0;
};

/// What inverting a layer's factors costs, in any unit.
struct LayerCost {
  double a = 0;
  double g = 0;
};

/// KAISA's greedy placement: layers by descending cost; each goes to the column with the least
/// load, and there its dearer factor first, each to the rank with the least load.
std::vector<GridPlace> place_on_grid(std::span<const LayerCost> layers, const Grid& grid);

}  // namespace stepcast::kfac
