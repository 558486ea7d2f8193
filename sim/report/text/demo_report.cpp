#include "sim/report/text/demo_report.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kSame = 0.001;  // speed-ups this close to 1 are called equal

/// The fastest that is not the one shown.
const Forecast& best_other(const Demo& demo, const DemoCase& each) {
  const Forecast* best = nullptr;
  for (const Forecast& forecast : each.forecasts)
    if (forecast.schedule != demo.shown.name &&
        (!best || forecast.iteration_time < best->iteration_time))
      best = &forecast;
  if (best == nullptr)
    throw std::out_of_range("demo: no forecast beside " + demo.shown.name);
  return *best;
}

double gain_over_best(const Demo& demo, const DemoCase& each) {
  return speedup_of(each.of(demo.shown), best_other(demo, each));
}

double gain_over_reference(const Demo& demo, const DemoCase& each) {
  return speedup_of(each.of(demo.shown), each.of(demo.reference));
}

/// The case of the least or, turned round, the greatest value.
template <class Value>
const DemoCase& least_by(const Demo& demo, Value value) {
  return *std::ranges::min_element(demo.cases, {}, value);
}

double exposed_share(const Forecast& forecast) {
  return total_of(forecast.breakdown.exposed_communication) / forecast.iteration_time;
}

std::string place_of(const DemoCase& each) {
  return fmt::format("{} over {}", each.model, each.network);
}

std::string gain_over_best_sentence(const Demo& demo, const DemoCase& each) {
  return fmt::format(
      "Over the best other schedule it gains most on {}: {:.2f} times as fast as {}.",
      place_of(each), gain_over_best(demo, each), best_other(demo, each).schedule);
}

std::string gains_sentence(const Demo& demo) {
  const DemoCase& most = greatest_gain(demo);
  const DemoCase& best =
      least_by(demo, [&](const DemoCase& each) { return -gain_over_best(demo, each); });
  const bool same = &best == &most && best_other(demo, best).schedule == demo.reference.name;
  return fmt::format("Over {}, {} gains most on {}: {} instead of {}, {:.2f} times as fast. {}",
                     demo.reference.title, demo.shown.title, place_of(most),
                     format_seconds(most.of(demo.shown).iteration_time),
                     format_seconds(most.of(demo.reference).iteration_time),
                     gain_over_reference(demo, most),
                     same ? demo.reference.title + " is also the best of the others there."
                          : gain_over_best_sentence(demo, best));
}

std::string losses_sentence(const Demo& demo) {
  std::vector<std::string> losses;
  for (const DemoCase& each : demo.cases)
    if (const double gain = gain_over_best(demo, each); gain < 1 - kSame)
      losses.push_back(fmt::format("{} ({:.1f} % behind {})", place_of(each), 100 * (1 / gain - 1),
                                   best_other(demo, each).schedule));
  if (losses.empty())
    return demo.shown.title + " is nowhere slower than the best of the others.";
  return fmt::format("{} is slower than another schedule on {}.", demo.shown.title,
                     fmt::join(losses, ", "));
}

/// What a schedule exposes, and the two longest waits of its critical path.
std::string waits_of(const Forecast& forecast) {
  std::string text =
      fmt::format("{} leaves {} of communication exposed.", forecast.schedule,
                  format_seconds(total_of(forecast.breakdown.exposed_communication)));
  for (std::size_t i = 1; i < std::min<std::size_t>(forecast.why.size(), 3); ++i)
    text += " " + forecast.why[i];
  return text;
}

/// Explains the greatest loss, if any, by what each of the two waits for.
std::string reason_sentence(const Demo& demo) {
  const DemoCase& worst =
      least_by(demo, [&](const DemoCase& each) { return gain_over_best(demo, each); });
  if (gain_over_best(demo, worst) >= 1 - kSame)
    return "";
  return fmt::format("Why, on {}: {} {}", place_of(worst), waits_of(worst.of(demo.shown)),
                     waits_of(best_other(demo, worst)));
}

/// How much is left to gain by any order of communication.
std::string exposure_sentence(const Demo& demo) {
  const auto exposed = [&](const DemoCase& each) { return exposed_share(each.of(demo.shown)); };
  const DemoCase& least = least_by(demo, exposed);
  const DemoCase& most = least_by(demo, [&](const DemoCase& each) { return -exposed(each); });
  return fmt::format(
      "With {}, exposed communication is {:.0f} % of the step on {} and {:.0f} % on {}: "
      "all that hiding communication better could still save.",
      demo.shown.title, 100 * exposed(least), place_of(least), 100 * exposed(most), place_of(most));
}

}  // namespace

const Forecast& DemoCase::of(const DemoSchedule& schedule) const {
  const auto found = std::ranges::find(forecasts, schedule.name, &Forecast::schedule);
  if (found == forecasts.end())
    throw std::out_of_range("demo: no forecast of " + schedule.name);
  return *found;
}

const DemoCase& greatest_gain(const Demo& demo) {
  return least_by(demo, [&](const DemoCase& each) { return -gain_over_reference(demo, each); });
}

std::string demo_table(const Demo& demo) {
  Table table{.columns = {{"model", Align::Left}, {"network", Align::Left}}};
  for (const Forecast& forecast : demo.cases.front().forecasts)
    table.columns.push_back({fmt::format("{} ms", forecast.schedule)});
  table.columns.push_back({demo.shown.name + "/best"});
  table.columns.push_back({fmt::format("{}/{}", demo.shown.name, demo.reference.name)});
  for (const DemoCase& each : demo.cases) {
    auto& row = table.rows.emplace_back();
    row = {each.model, each.network};
    for (const Forecast& forecast : each.forecasts)
      row.push_back(milliseconds(forecast.iteration_time, 1));
    row.push_back(fmt::format("{:.3f}", gain_over_best(demo, each)));
    row.push_back(fmt::format("{:.3f}", gain_over_reference(demo, each)));
  }
  return render(table);
}

std::vector<std::string> demo_reading(const Demo& demo) {
  std::vector<std::string> sentences{gains_sentence(demo), losses_sentence(demo),
                                     reason_sentence(demo), exposure_sentence(demo)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace stepcast
