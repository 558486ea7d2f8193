#include "sim/report/picture/tuning_figure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/picture/panel.hpp"
#include "sim/report/picture/svg.hpp"
#include "sim/report/picture/svg_chart.hpp"

namespace stepcast {
namespace {

constexpr double kLeft = 60, kRight = 700, kTop = 20, kBottom = 330;
constexpr int kTicks = 5;
constexpr double kMilli = 1e3;

Panel trials_of(const Tuning& tuning) {
  double most = 0;
  for (const Trial& trial : tuning.trials)
    if (trial.is_feasible())
      most = std::max(most, trial.found.time.value * kMilli);
  most = round_up(most);
  const auto x = [](double share) { return kLeft + (kRight - kLeft) * share; };
  const auto y = [&](double ms) { return kBottom - (kBottom - kTop) * ms / most; };
  std::string out;
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double share = static_cast<double>(tick) / kTicks;
    out += svg::line(kLeft, y(most * share), kRight, y(most * share), R"(stroke="#ddd")");
    out += svg::text(kLeft - 6, y(most * share) + 4, "end", fmt::format("{:g}", most * share));
    out += svg::text(x(share), kBottom + 18, "middle",
                     write_value(tuning.range.kind, tuning.range.at(share)));
  }
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const Trial& trial = tuning.trials[i];
    if (!trial.is_feasible())
      continue;
    const double ms = trial.found.time.value * kMilli;
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>\n",
        x(tuning.range.share_of(trial.value)), y(ms), i == tuning.best ? 6 : 4,
        svg::colour(i == tuning.best ? 1 : 0),
        svg::escaped(fmt::format("{}: {:.2f} ms", trial.text, ms)));
  }
  out += svg::text(kLeft, kTop - 8, "middle", "ms");
  out += svg::text((kLeft + kRight) / 2, kBottom + 38, "middle", tuning.option);
  return {out, kRight + 40, kBottom + 50};
}

}  // namespace

std::string tuning_figure(const Tuning& tuning) {
  const Trial& best = tuning.best_trial();
  return sheet_of(
      fmt::format("{} trials ({}): {}={} takes {} ms", tuning.trials.size(), tuning.strategy,
                  tuning.option, best.text, milliseconds(best.found.time)),
      {trials_of(tuning)});
}

}  // namespace stepcast
