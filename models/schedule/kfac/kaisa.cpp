#include <utility>

#include "models/base/error.hpp"
#include "models/schedule/kfac/shared.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

using kfac::Grid;
using kfac::GridPlace;
using kfac::Step;

constexpr const char* kQuarter = "quarter";

// A fraction must fit the ranks; the default fits itself to them.
Grid grid_of(const OptionReader& read, const Cluster& cluster) {
  const std::string& fraction = read.text("grad_worker_fraction");
  if (fraction == kQuarter)
    return kfac::quarter_grid_of(cluster.ranks());
  if (fraction == "mem-opt")
    return {.columns = cluster.ranks(), .grad_workers = 1};
  if (fraction == "comm-opt")
    return {.columns = 1, .grad_workers = cluster.ranks()};
  const double number = read.number("grad_worker_fraction");
  try {
    return kfac::grid_of(cluster.ranks(), number);
  } catch (const InputError& error) {
    read.fail("grad_worker_fraction", error.what());
  }
}

std::vector<GridPlace> places_of(const Step& step, const Grid& grid) {
  std::vector<kfac::LayerCost> costs;
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer)
    costs.push_back(
        {step.factors()[2 * layer].inversion.value, step.factors()[2 * layer + 1].inversion.value});
  return kfac::place_on_grid(costs, grid);
}

kfac::InversesInFlight invert_in_columns(Step& step, const Grid& grid,
                                         std::span<const GridPlace> places) {
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    step.invert(2 * layer, places[layer].inverts_a);
    step.invert(2 * layer + 1, places[layer].inverts_g);
  }
  kfac::InversesInFlight inverses;
  if (grid.grad_workers == 1)
    return inverses;  // the one grad worker of a layer made the inverses
  for (std::size_t factor = 0; factor < step.factors().size(); ++factor) {
    const GridPlace& place = places[factor / 2];
    step.broadcast_inverses(inverses, {&factor, 1},
                            factor % 2 == 0 ? place.inverts_a : place.inverts_g,
                            step.group_of(kfac::column_of(grid, place.column)));
  }
  return inverses;
}

// The grad workers of a layer precondition it, each for the receivers of its row.
kfac::ResultsInFlight precondition_in_columns(Step& step, const Grid& grid,
                                              std::span<const GridPlace> places) {
  std::vector<TaskId> preconditioned;
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer)
    preconditioned.push_back(
        step.precondition(layer, step.group_of(kfac::column_of(grid, places[layer].column))));
  kfac::ResultsInFlight results;
  if (grid.columns == 1)
    return results;  // all are grad workers
  std::vector<Group> rows;
  for (std::uint32_t row = 0; row < grid.grad_workers; ++row)
    rows.push_back({kfac::row_of(grid, row)});
  const TeamId team = step.team_of_rows(std::move(rows));
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer)
    step.broadcast_gradient(results, layer, preconditioned[layer], places[layer].column, team);
  return results;
}

Plan build_kaisa(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const Grid grid = grid_of(read, cluster);
  Step step(workload, cluster, read);
  kfac::FactorsInFlight factors;
  Pending gradients = step.passes([&](std::size_t factor) {
    step.construct(factor);
    step.all_reduce_factors(factors, {&factor, 1});
  });
  step.wait(gradients);
  step.wait(factors);
  const auto places = places_of(step, grid);
  kfac::InversesInFlight inverses = invert_in_columns(step, grid, places);
  step.wait(inverses);
  kfac::ResultsInFlight results = precondition_in_columns(step, grid, places);
  step.wait(results);
  return std::move(step).finish();
}

std::vector<OptionInfo> options() {
  return kfac::with_common_options(
      {number_option(
          "grad_worker_fraction", kQuarter,
          "part of the ranks that preconditions a layer, above 0 and up to 1; quarter: 0.25, or "
          "what is nearest to it and divides the ranks; mem-opt: one rank; comm-opt: all",
          {}, {kQuarter, "mem-opt", "comm-opt"})},
      kfac::Hooks::Yes);
}

}  // namespace

ScheduleInfo kaisa_schedule() {
  return kfac::system_of<build_kaisa>(
      "kaisa", "K-FAC on a grid: grad workers keep a layer's inverses, the others receive",
      "Pauloski et al., KAISA, SC 2021", options());
}

}  // namespace stepcast
