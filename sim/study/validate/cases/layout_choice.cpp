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

using Rows = std::vector<const PredictedCase*>;

int order(Seconds left, Seconds right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/// Over all pairs of rows; 1 where nothing is to be ordered.
double tau_of(const Rows& rows) {
  double agree = 0, measured_apart = 0, predicted_apart = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int measured = order(rows[i]->row.measured, rows[j]->row.measured);
      const int predicted = order(rows[i]->predicted, rows[j]->predicted);
      agree += measured * predicted;
      measured_apart += measured != 0;
      predicted_apart += predicted != 0;
    }
  const double apart = std::sqrt(measured_apart * predicted_apart);
  return apart > 0 ? agree / apart : 1;
}

LayoutSweep sweep_of(const Rows& rows) {
  const MeasuredLayout& first = rows.front()->row;
  const auto chosen =
      std::ranges::min_element(rows, {}, [](const PredictedCase* each) { return each->predicted; });
  const auto best = std::ranges::min_element(
      rows, {}, [](const PredictedCase* each) { return each->row.measured; });
  return {.set = first.set,
          .model = first.model,
          .gpus = first.gpus,
          .global_batch = first.global_batch,
          .layouts = rows.size(),
          .lost = (*chosen)->row.measured / (*best)->row.measured - 1,
          .tau = tau_of(rows)};
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
    if (rows.size() >= least)
      sweeps.push_back(sweep_of(rows));
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
