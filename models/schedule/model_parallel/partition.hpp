#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/schedule/model_parallel/order_walk.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"

namespace stepcast {

/// Bounds of consecutive units by part: the first of each, and the number of units.
using PartBounds = std::vector<std::size_t>;

/// Returns parts with the same number of counted units each; the units before and after these go to
/// the first and the last part. If the parts do not divide the counted units, every unit is
/// counted, so that an embedding or a head may have a part for itself. Throws InputError if there
/// are fewer units than parts.
PartBounds equal_parts(const std::vector<bool>& counts, std::size_t parts);

/// The bounds whose heaviest part is lightest: dynamic programming over D[j][i] = min over k of
/// max(D[k][i - 1], weight of k .. j), O(units^2 parts). No part is empty. `slowness` is the time
/// that each part's GPUs take over the usual time; empty: none is slow. Throws InputError if there
/// are fewer units than parts.
PartBounds lightest_parts(std::span<const Seconds> weights, std::size_t parts,
                          std::span<const double> slowness = {});

/// From the lightest parts on, moves single units between neighbours, with no more micro-batches
/// than stages between any two parts, for as long as that shortens the order's makespan: stages
/// need not be equal (with as many micro-batches as stages a longer first one gains 3 to 7 %: the
/// search begins there, too). Costs a walk of the order for each move tried. `excess` says by how
/// much bounds exceed a limit, 0 where they do not: less excess comes before a shorter makespan, so
/// that what fits stays what fits. `begins` are bounds to begin at beside these: moves may not get
/// from where nothing helps to equal parts that are shorter. `slowness` is as of lightest_parts().
PartBounds best_parts(const PipelineOrder& order, std::span<const PartTimes> units, Seconds message,
                      const std::function<double(const PartBounds&)>& excess = {},
                      std::vector<PartBounds> begins = {}, std::span<const double> slowness = {});

/// "8,8,9,7": so many of the units that count in each part. The first and the last part may hold
/// none, but then what stands before or behind these units. Throws InputError.
PartBounds listed_parts(const std::vector<bool>& counts, std::size_t parts,
                        const std::string& text);

/// Sums of units by part.
std::vector<PartTimes> sums_of(std::span<const PartTimes> units, const PartBounds& bounds);

}  // namespace stepcast
