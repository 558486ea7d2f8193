#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "sim/report/picture/figures.hpp"
#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/search/plan/capacity_plan.hpp"

namespace stepcast {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string label_of(const CapacityPlan& plan, const PlanChoice& choice) {
  const PlanSite& site = plan.space.sites[choice.trial.site];
  return fmt::format("{} x {}, {}, {}: {:.4g} hours, {:.4g} {}", site.cluster.ranks(),
                     site.cluster.name, choice.layout,
                     plan.space.schedules[choice.trial.schedule].name, choice.hours, choice.cost,
                     plan.space.prices.currency);
}

/// What a picture of choices shows: where one lies, and which are the front.
struct Dots {
  const std::vector<std::size_t>& front;
  std::function<double(const PlanChoice&)> across;
  std::function<double(const PlanChoice&)> up;
};

/// Dots by cluster, pale where they are not on the front, and below them a line through those of
/// the front, in order of `across`.
void add_lines(LineChart& chart, const CapacityPlan& plan, const std::vector<std::size_t>& shown,
               const Dots& dots) {
  const std::vector<std::string> clusters =
      distinct(plan.space.sites, [](const PlanSite& site) { return site.cluster.name; });
  for (const std::string& name : clusters)
    chart.lines.push_back(
        {.name = name, .member = chart.lines.size(), .values = {}, .joined = false});
  ChartLine front{.name = "front", .values = {}, .marked = false};
  const auto add = [&](ChartLine& line, const PlanChoice& choice) {
    line.at.push_back(dots.across(choice));
    line.values.push_back(dots.up(choice));
    line.labels.push_back(label_of(plan, choice));
  };
  for (const std::size_t i : shown) {
    const PlanChoice& choice = plan.choices[i];
    const auto cluster =
        std::ranges::find(clusters, plan.space.sites[choice.trial.site].cluster.name);
    ChartLine& line = chart.lines[static_cast<std::size_t>(cluster - clusters.begin())];
    add(line, choice);
    line.pale.push_back(std::ranges::find(dots.front, i) == dots.front.end());
    if (!line.pale.back())
      add(front, choice);
  }
  chart.lines.insert(chart.lines.begin(), std::move(front));
}

/// What fits, of all GPUs or of one site, in order of `across`.
std::vector<std::size_t> choices_of(const CapacityPlan& plan, const Dots& dots,
                                    std::optional<std::uint32_t> site) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plan.choices.size(); ++i)
    if (plan.choices[i].fits && (!site || plan.choices[i].trial.site == *site))
      shown.push_back(i);
  std::ranges::stable_sort(shown, {}, [&](std::size_t i) { return dots.across(plan.choices[i]); });
  return shown;
}

}  // namespace

std::string plan_figure(const CapacityPlan& plan) {
  const PlanChoice& best = plan.choices.front();
  LineChart cost{.title = "cost against time",
                 .x_label = "hours",
                 .y_label = fmt::format("cost, {}", plan.space.prices.currency)};
  LineChart memory{.title = "memory against time, on the best's GPUs",
                   .x_label = "step ms",
                   .y_label = "GiB of a GPU"};
  const Dots of_cost{plan.front, [](const PlanChoice& each) { return each.hours; },
                     [](const PlanChoice& each) { return each.cost; }};
  const Dots of_memory{
      plan.memory_front,
      [](const PlanChoice& each) { return each.forecast.iteration_time.value * 1e3; },
      [](const PlanChoice& each) { return each.forecast.memory.total().value / kGiB; }};
  add_lines(cost, plan, choices_of(plan, of_cost, {}), of_cost);
  add_lines(memory, plan, choices_of(plan, of_memory, best.trial.site), of_memory);
  return sheet_of(best.forecast.workload, {panel_of(cost), panel_of(memory)});
}

}  // namespace stepcast
