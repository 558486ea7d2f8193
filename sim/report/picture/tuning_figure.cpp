#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/forecast/tuning/tune.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/picture/svg_chart.hpp"

namespace stepcast {

std::string tuning_figure(const Tuning& tuning) {
  constexpr int kPositions = 6;
  const Trial& best = tuning.best_trial();
  LineChart chart{.title = fmt::format("{} trials ({}): {}={} takes {} ms", tuning.trials.size(),
                                       tuning.strategy, tuning.option, best.text,
                                       milliseconds(best.found.time)),
                  .x_label = tuning.option,
                  .y_label = "ms"};
  for (int i = 0; i < kPositions; ++i)
    chart.positions.push_back(
        write_value(tuning.range.kind, tuning.range.at(i / (kPositions - 1.0))));
  ChartLine trials{.name = "trials", .values = {}, .joined = false};
  ChartLine fastest{.name = "best", .member = 1, .values = {}, .joined = false};
  for (const Trial& trial : tuning.trials) {
    if (!trial.is_feasible())
      continue;
    ChartLine& line = &trial == &best ? fastest : trials;
    const double ms = trial.found.time.value * 1e3;
    line.at.push_back(0.5 + (kPositions - 1) * tuning.range.share_of(trial.value));
    line.values.push_back(ms);
    line.labels.push_back(fmt::format("{}: {:.2f} ms", trial.text, ms));
  }
  chart.lines = {trials, fastest};
  return svg_of(chart);
}

}  // namespace stepcast
