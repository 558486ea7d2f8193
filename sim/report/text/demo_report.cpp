#include "sim/report/text/demo_report.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr const char* kDear = "dear";
constexpr const char* kHorovod = "horovod";
constexpr double kSame = 0.001;  // speed-ups this close to 1 are called equal

double gain_over_best(const DemoCase& each) {
  return speedup_of(each.of(kDear), each.best_other());
}

double gain_over_horovod(const DemoCase& each) {
  return speedup_of(each.of(kDear), each.of(kHorovod));
}

double exposed_share(const Forecast& forecast) {
  return total_of(forecast.breakdown.exposed_communication) / forecast.iteration_time;
}

std::string place_of(const DemoCase& each) {
  return fmt::format("{} over {}", each.model, each.network);
}

std::string gain_over_best_sentence(const DemoCase& each) {
  return fmt::format(
      "Over the best other schedule it gains most on {}: {:.2f} times as fast as {}.",
      place_of(each), gain_over_best(each), each.best_other().schedule);
}

std::string gains_sentence(const std::vector<DemoCase>& cases) {
  const DemoCase& horovod = greatest_gain(cases);
  const DemoCase& best = *std::ranges::max_element(cases, {}, gain_over_best);
  const bool same = &best == &horovod && best.best_other().schedule == kHorovod;
  return fmt::format(
      "Over Horovod, DeAR gains most on {}: {} instead of {}, {:.2f} times as fast. {}",
      place_of(horovod), format_seconds(horovod.of(kDear).iteration_time),
      format_seconds(horovod.of(kHorovod).iteration_time), gain_over_horovod(horovod),
      same ? "Horovod is also the best of the others there." : gain_over_best_sentence(best));
}

std::string losses_sentence(const std::vector<DemoCase>& cases) {
  std::vector<std::string> losses;
  for (const DemoCase& each : cases) {
    if (gain_over_best(each) < 1 - kSame)
      losses.push_back(fmt::format("{} ({:.1f} % behind {})", place_of(each),
                                   100 * (1 / gain_over_best(each) - 1),
                                   each.best_other().schedule));
  }
  if (losses.empty())
    return "DeAR is nowhere slower than the best of the others.";
  return fmt::format("DeAR is slower than another schedule on {}.", fmt::join(losses, ", "));
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
std::string reason_sentence(const std::vector<DemoCase>& cases) {
  const DemoCase& worst = *std::ranges::min_element(cases, {}, gain_over_best);
  if (gain_over_best(worst) >= 1 - kSame)
    return "";
  return fmt::format("Why, on {}: {} {}", place_of(worst), waits_of(worst.of(kDear)),
                     waits_of(worst.best_other()));
}

/// How much is left to gain by any order of communication.
std::string exposure_sentence(const std::vector<DemoCase>& cases) {
  const auto exposed = [](const DemoCase& each) { return exposed_share(each.of(kDear)); };
  const DemoCase& least = *std::ranges::min_element(cases, {}, exposed);
  const DemoCase& most = *std::ranges::max_element(cases, {}, exposed);
  return fmt::format(
      "With DeAR, exposed communication is {:.0f} % of the step on {} and {:.0f} % on {}: "
      "all that hiding communication better could still save.",
      100 * exposed(least), place_of(least), 100 * exposed(most), place_of(most));
}

}  // namespace

const Forecast& DemoCase::of(const std::string& schedule) const {
  const auto found = std::ranges::find(forecasts, schedule, &Forecast::schedule);
  if (found == forecasts.end())
    throw std::out_of_range("demo: no forecast of " + schedule);
  return *found;
}

const Forecast& DemoCase::best_other() const {
  const Forecast* best = nullptr;
  for (const Forecast& forecast : forecasts) {
    if (forecast.schedule != kDear && (!best || forecast.iteration_time < best->iteration_time))
      best = &forecast;
  }
  if (best == nullptr)
    throw std::out_of_range("demo: no forecast beside DeAR");
  return *best;
}

const DemoCase& greatest_gain(const std::vector<DemoCase>& cases) {
  return *std::ranges::max_element(cases, {}, gain_over_horovod);
}

std::string demo_table(const std::vector<DemoCase>& cases) {
  Table table{.columns = {{"model", Align::Left}, {"network", Align::Left}}};
  for (const Forecast& forecast : cases.front().forecasts)
    table.columns.push_back({fmt::format("{} ms", forecast.schedule)});
  table.columns.push_back({"dear/best"});
  table.columns.push_back({"dear/horovod"});
  for (const DemoCase& each : cases) {
    auto& row = table.rows.emplace_back();
    row = {each.model, each.network};
    for (const Forecast& forecast : each.forecasts)
      row.push_back(milliseconds(forecast.iteration_time, 1));
    row.push_back(fmt::format("{:.3f}", gain_over_best(each)));
    row.push_back(fmt::format("{:.3f}", gain_over_horovod(each)));
  }
  return render(table);
}

std::vector<std::string> demo_reading(const std::vector<DemoCase>& cases) {
  std::vector<std::string> sentences{gains_sentence(cases), losses_sentence(cases),
                                     reason_sentence(cases), exposure_sentence(cases)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace stepcast
