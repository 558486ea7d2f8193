#include "sim/study/validate/cases/layout_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stepcast {
namespace {

constexpr double kNear = 0.01;

auto job_of(const MeasuredLayout& row) {
  return std::tuple(row.set, row.model, row.gpu, row.precision, row.layers, row.hidden, row.ffn,
                    row.heads, row.seq, row.gpus, row.global_batch);
}

auto layout_of(const MeasuredLayout& row) {
  return std::tuple(row.tensor, row.pipeline, row.data, row.context, row.expert, row.micro_batch,
                    row.virtual_stages, row.recompute, row.sharding);
}

/// A layout, which may have been measured several times.
struct Layout {
  Seconds measured{};  ///< Mean.
  Seconds predicted{};
};

int order(Seconds left, Seconds right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/// Over all pairs of layouts; 1 where nothing is to be ordered, 0 where forecasts order nothing.
double tau_of(const std::vector<Layout>& layouts) {
  double agree = 0, measured_apart = 0, predicted_apart = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int measured = order(layouts[i].measured, layouts[j].measured);
      const int predicted = order(layouts[i].predicted, layouts[j].predicted);
      agree += measured * predicted;
      measured_apart += measured != 0;
      predicted_apart += predicted != 0;
    }
  const double apart = std::sqrt(measured_apart * predicted_apart);
  return apart > 0 ? agree / apart : measured_apart > 0 ? 0 : 1;
}

using Rows = std::vector<const PredictedCase*>;

std::vector<Layout> layouts_in(const Rows& rows) {
  std::map<decltype(layout_of(rows.front()->row)), Rows> runs;
  for (const PredictedCase* each : rows)
    runs[layout_of(each->row)].push_back(each);
  std::vector<Layout> layouts;
  for (const auto& [layout, same] : runs) {
    Seconds sum;
    for (const PredictedCase* each : same)
      sum += each->row.measured;
    layouts.push_back({sum / static_cast<double>(same.size()), same.front()->predicted});
  }
  return layouts;
}

LayoutSweep sweep_of(const MeasuredLayout& job, const std::vector<Layout>& layouts) {
  const auto chosen = std::ranges::min_element(layouts, {}, &Layout::predicted);
  const auto best = std::ranges::min_element(layouts, {}, &Layout::measured);
  return {.set = job.set,
          .model = job.model,
          .gpus = job.gpus,
          .global_batch = job.global_batch,
          .layouts = layouts.size(),
          .lost = chosen->measured / best->measured - 1,
          .tau = tau_of(layouts)};
}

}  // namespace

std::vector<LayoutSweep> layout_sweeps(const std::vector<PredictedCase>& cases, std::size_t least) {
  std::map<decltype(job_of(cases.front().row)), std::size_t> places;
  std::vector<Rows> jobs;
  for (const PredictedCase& each : cases) {
    const auto [known, is_new] = places.try_emplace(job_of(each.row), jobs.size());
    if (is_new)
      jobs.emplace_back();
    jobs[known->second].push_back(&each);
  }
  std::vector<LayoutSweep> sweeps;
  for (const Rows& rows : jobs)
    if (const auto layouts = layouts_in(rows); layouts.size() >= least)
      sweeps.push_back(sweep_of(rows.front()->row, layouts));
  return sweeps;
}

std::vector<SetChoice> choices_of(const std::vector<LayoutSweep>& sweeps) {
  std::vector<SetChoice> choices;
  for (const LayoutSweep& sweep : sweeps)
    if (std::ranges::find(choices, sweep.set, &SetChoice::set) == choices.end())
      choices.push_back({.set = sweep.set});
  for (SetChoice& choice : choices) {
    std::vector<double> taus;
    for (const LayoutSweep& sweep : sweeps) {
      if (sweep.set != choice.set)
        continue;
      taus.push_back(sweep.tau);
      choice.near_best += sweep.lost <= kNear ? 1 : 0;
      choice.worst = std::max(choice.worst, sweep.lost);
    }
    std::ranges::sort(taus);
    choice.sweeps = taus.size();
    choice.tau = taus[taus.size() / 2];
  }
  return choices;
}

}  // namespace stepcast
