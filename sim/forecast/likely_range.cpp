#include "sim/forecast/likely_range.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/error_bound.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr BytesPerSecond kSlow{2e9};
constexpr std::size_t kEnough = 5;
constexpr double kOtherSchedules = 1.5;

/// A preset is its schedule.
std::string original_of(const std::string& schedule) {
  const Preset* preset = find_preset(schedule);
  return preset == nullptr ? schedule : preset->schedule;
}

std::string family_of(const std::string& schedule) {
  for (const ScheduleInfo& info : data_parallel_schedules())
    if (info.name == schedule)
      return info.second_order ? "second order" : info.compressed ? "compressed" : "gradients";
  return "others";
}

/// A choice of cases, and how it is called.
struct Choice {
  std::function<bool(const CheckedCase&)> takes;
  std::string of;  ///< "of wfbp on slow networks"
  bool same_schedule = false;
};

std::string on_network(const std::string& network) {
  return network == "node" ? "in one node" : fmt::format("on {} networks", network);
}

bool cuts_the_model(const std::string& schedule) {
  const ScheduleInfo* info = find_schedule(schedule);
  return info != nullptr && info->partitions_model();
}

std::vector<Choice> choices_of_layouts(const RangeQuestion& question) {
  const auto is_like = [experts = question.experts](const CheckedCase& each) {
    return (each.experts > 1) == experts;
  };
  const std::string of = question.experts ? "of models with experts" : "of models without experts";
  return {{[=](const CheckedCase& each) { return is_like(each) && each.device == question.device; },
           fmt::format("{} on {}", of, question.device)},
          {is_like, of},
          {[](const CheckedCase&) { return true; }, "of all models that are cut"}};
}

std::vector<Choice> choices_for(const RangeQuestion& question) {
  if (cuts_the_model(question.schedule))
    return choices_of_layouts(question);
  const std::string schedule = original_of(question.schedule);
  const std::string family = family_of(schedule);
  const std::string where = on_network(question.network);
  const auto is_near = [network = question.network](const CheckedCase& each) {
    return each.network == network;
  };
  return {
      {[=](const CheckedCase& each) { return is_near(each) && each.schedule == schedule; },
       fmt::format("of {} {}", schedule, where), true},
      {[=](const CheckedCase& each) { return is_near(each) && family_of(each.schedule) == family; },
       fmt::format("of other schedules ({}) {}", family, where)},
      {is_near, fmt::format("of all schedules {}", where)},
      {[](const CheckedCase&) { return true; }, "of all schedules on all networks"}};
}

std::vector<CheckedCase> taken(std::span<const CheckedCase> cases, const Choice& choice) {
  std::vector<CheckedCase> result;
  std::ranges::copy_if(cases, std::back_inserter(result), choice.takes);
  return result;
}

double bound_of(const std::vector<CheckedCase>& cases) {
  std::vector<double> errors;
  for (const CheckedCase& each : cases)
    errors.push_back(each.error());
  return error_bound(std::move(errors));
}

double distance_of(const RangeQuestion& question, const std::vector<CheckedCase>& cases,
                   bool same_schedule) {
  const auto most = std::ranges::max(cases, {}, &CheckedCase::gpus).gpus;
  const bool knows_device = std::ranges::any_of(
      cases, [&](const CheckedCase& each) { return each.device == question.device; });
  double factor = same_schedule ? 1 : kOtherSchedules;
  factor *= knows_device ? 1 : kOtherDevices;
  if (question.gpus > most)
    factor *= std::pow(kDoubling, std::log2(static_cast<double>(question.gpus) / most));
  return factor;
}

std::string basis_of(const RangeQuestion& question, const Choice& choice,
                     const std::vector<CheckedCase>& cases, double width) {
  const auto [least, most] = std::ranges::minmax(cases, {}, &CheckedCase::gpus);
  std::string text = fmt::format("the errors of {} checked steps {} ({} to {} GPUs)", cases.size(),
                                 choice.of, least.gpus, most.gpus);
  if (question.gpus > most.gpus)
    text += fmt::format(", wider as {} GPUs are more", question.gpus);
  if (std::ranges::none_of(cases,
                           [&](const CheckedCase& c) { return c.device == question.device; }))
    text += ", wider as none of them is of this device";
  if (cuts_the_model(question.schedule))
    text += ", wider as their software was described with them in sight";
  text += fmt::format(": {:.1f} %", 100 * width);
  return text;
}

std::vector<CheckedCase> shipped(const char* file) {
  const auto path = data_root() / "traces/published/checked" / file;
  return std::filesystem::exists(path) ? read_checked_cases(path) : std::vector<CheckedCase>{};
}

}  // namespace

std::string_view network_class(const Cluster& cluster) {
  if (cluster.nodes <= 1)
    return "node";
  return node_link(cluster).bandwidth <= kSlow ? "slow" : "fast";
}

LikelyRange likely_range(const RangeQuestion& question, std::span<const CheckedCase> cases) {
  for (const Choice& choice : choices_for(question)) {
    const std::vector<CheckedCase> found = taken(cases, choice);
    if (found.empty() || (found.size() < kEnough && found.size() < cases.size()))
      continue;
    const double width =
        std::min(kMostError, bound_of(found) * distance_of(question, found, choice.same_schedule));
    // predicted = measured (1 + error), and the error is within the width.
    return {.low = 1 / (1 + width),
            .high = 1 / (1 - width),
            .basis = basis_of(question, choice, found, width)};
  }
  return {};
}

LikelyRange shipped_range(const std::string& schedule, const std::string& device,
                          const Cluster& cluster, std::optional<bool> experts) {
  const bool cuts = cuts_the_model(schedule);
  const auto& cases = cuts ? shipped_layouts() : shipped_checks();
  if (cases.empty() || (cuts && !experts))
    return {.low = 0, .high = 0, .basis = {}};
  // A study asks the same thousands of times.
  thread_local std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, bool>,
                        LikelyRange>
      known;
  const RangeQuestion question{.schedule = schedule,
                               .device = device,
                               .network = std::string(network_class(cluster)),
                               .gpus = cluster.ranks(),
                               .experts = experts.value_or(false)};
  const auto [found, is_new] =
      known.try_emplace({schedule, device, question.network, question.gpus, question.experts});
  if (is_new)
    found->second = likely_range(question, cases);
  return found->second;
}

const std::vector<CheckedCase>& shipped_checks() {
  static const std::vector<CheckedCase> checks = shipped("cases.json");
  return checks;
}

const std::vector<CheckedCase>& shipped_layouts() {
  static const std::vector<CheckedCase> layouts = shipped("layouts.json");
  return layouts;
}

}  // namespace stepcast
