#include "sim/report/picture/plan_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"
#include "sim/report/picture/svg_chart.hpp"

namespace stepcast {
namespace {

constexpr double kWidth = 520;
constexpr double kHeight = 300;
constexpr double kLeft = 84;
constexpr double kBetween = 84;
constexpr double kLegend = 240;
constexpr int kTicks = 5;

struct Dot {
  double across = 0;
  double up = 0;
  std::size_t colour = 0;
  bool on_front = false;
  std::string label;
};

struct Panel {
  std::string title, across, up;
  std::vector<Dot> dots;  ///< Those of the front in order of `across`.
};

std::string label_of(const CapacityPlan& plan, const PlanChoice& choice) {
  const PlanSite& site = plan.space.sites[choice.trial.site];
  return fmt::format("{} x {}, {}, {}: {:.4g} hours, {:.4g} {}", site.cluster.ranks(),
                     site.cluster.name, choice.layout,
                     plan.space.schedules[choice.trial.schedule].name, choice.hours, choice.cost,
                     plan.space.prices.currency);
}

std::string drawn(const Panel& panel, double top) {
  double most_across = 0;
  double most_up = 0;
  for (const Dot& dot : panel.dots) {
    most_across = std::max(most_across, dot.across);
    most_up = std::max(most_up, dot.up);
  }
  most_across = round_up(most_across);
  most_up = round_up(most_up);
  const auto x = [&](double value) { return kLeft + kWidth * value / most_across; };
  const auto y = [&](double value) { return top + kHeight * (1 - value / most_up); };
  std::string out = svg::text(kLeft, top - 14, "start", panel.title, R"(font-weight="bold")");
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double share = static_cast<double>(tick) / kTicks;
    const double across = x(most_across * share);
    const double up = y(most_up * share);
    out += svg::line(kLeft, up, kLeft + kWidth, up, R"(stroke="#ddd")");
    out += svg::text(kLeft - 8, up + 4, "end", fmt::format("{:.4g}", most_up * share));
    out +=
        svg::text(across, top + kHeight + 18, "middle", fmt::format("{:.4g}", most_across * share));
  }
  out += svg::text(kLeft + kWidth / 2, top + kHeight + 38, "middle", panel.across);
  out += svg::text(0, 0, "middle", panel.up,
                   fmt::format("transform=\"translate(18,{}) rotate(-90)\"", top + kHeight / 2));
  const Dot* before = nullptr;
  for (const Dot& dot : panel.dots) {
    if (dot.on_front && before != nullptr)
      out +=
          svg::line(x(before->across), y(before->up), x(dot.across), y(dot.up), R"(stroke="#555")");
    before = dot.on_front ? &dot : before;
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\">"
        "<title>{}</title></circle>\n",
        x(dot.across), y(dot.up), dot.on_front ? 5 : 3, svg::colour(dot.colour),
        dot.on_front ? 1 : 0.45, svg::escaped(dot.label));
  }
  return out;
}

std::vector<std::string> clusters_of(const CapacityPlan& plan) {
  std::vector<std::string> names;
  for (const PlanSite& site : plan.space.sites)
    if (std::ranges::find(names, site.cluster.name) == names.end())
      names.push_back(site.cluster.name);
  return names;
}

Panel panel_of(const CapacityPlan& plan, const std::vector<std::size_t>& front, bool of_memory) {
  const std::vector<std::string> clusters = clusters_of(plan);
  const std::uint32_t best_site = plan.choices.front().trial.site;
  Panel panel;
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const PlanChoice& choice = plan.choices[i];
    if (!choice.fits || (of_memory && choice.trial.site != best_site))
      continue;
    const auto cluster =
        std::ranges::find(clusters, plan.space.sites[choice.trial.site].cluster.name);
    panel.dots.push_back(
        {of_memory ? choice.forecast.iteration_time.value * 1e3 : choice.hours,
         of_memory ? choice.forecast.memory.total().value / (1024.0 * 1024 * 1024) : choice.cost,
         static_cast<std::size_t>(cluster - clusters.begin()),
         std::ranges::find(front, i) != front.end(), label_of(plan, choice)});
  }
  std::ranges::stable_sort(panel.dots, {}, &Dot::across);
  return panel;
}

}  // namespace

std::string plan_figure(const CapacityPlan& plan) {
  Panel cost = panel_of(plan, plan.front, false);
  cost.title = fmt::format("{}: cost against time", plan.choices.front().forecast.workload);
  cost.across = "hours";
  cost.up = fmt::format("cost, {}", plan.space.prices.currency);
  Panel memory = panel_of(plan, plan.memory_front, true);
  memory.title = "memory against time, on the best's GPUs";
  memory.across = "step ms";
  memory.up = "GiB of a GPU";
  constexpr double kTop = 40;
  std::string out = drawn(cost, kTop) + drawn(memory, kTop + kHeight + kBetween);
  const std::vector<std::string> clusters = clusters_of(plan);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const double at = kTop + 12 + 18 * static_cast<double>(i);
    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n", kLeft + kWidth + 16,
                       at - 4, svg::colour(i));
    out += svg::text(kLeft + kWidth + 26, at, "start", clusters[i]);
  }
  return svg::document(kLeft + kWidth + kLegend, kTop + 2 * kHeight + kBetween + 56, 12, out);
}

}  // namespace stepcast
