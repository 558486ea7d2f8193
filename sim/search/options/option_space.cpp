#include "sim/search/options/option_space.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/forecast/tuning/plan_hash.hpp"
#include "sim/jobs/edits/estimates.hpp"

namespace stepcast {

std::string value_of(const SearchedOption& option, const ScheduleOptions& options) {
  const auto found = options.find(option.info.name);
  return found == options.end() ? option.info.default_value : found->second;
}

ScheduleOptions with_value(ScheduleOptions options, const SearchedOption& option,
                           const std::string& value) {
  options.erase(option.info.name);
  for (const auto& [name, with] : option.beside)
    options.erase(name);
  if (value == option.info.default_value)
    return options;
  options[option.info.name] = value;
  options.insert(option.beside.begin(), option.beside.end());
  return options;
}

std::string changes_in_words(const OptionSpace& space, const ScheduleOptions& before,
                             const ScheduleOptions& after, bool instead) {
  std::string words;
  for (const SearchedOption& option : space.options) {
    const std::string was = value_of(option, before);
    const std::string now = value_of(option, after);
    if (was == now)
      continue;
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", option.info.name, now);
    if (instead)
      words += " instead of " + was;
    for (const auto& [name, value] : option.beside)
      words += fmt::format(" ({}={})", name, value);
  }
  return words;
}

ScheduleOptions changed_options(const ScheduleOptions& before, const ScheduleOptions& after) {
  ScheduleOptions changed;
  std::ranges::set_difference(after, before, std::inserter(changed, changed.end()));
  return changed;
}

OptionSteps::OptionSteps(const OptionSpace& space, std::size_t tasks)
    : space_(space), most_tasks_(std::max<std::size_t>(10'000, 2 * tasks)) {}

std::optional<Seconds> OptionSteps::of(const ScheduleOptions& options, Bytes memory,
                                       bool any_length) {
  try {
    const Plan plan = space_.plan(options);
    if ((memory > Bytes{} && plan.memory.total() > memory) ||
        (plan.graph.size() > most_tasks_ && !any_length))
      return std::nullopt;
    const std::uint64_t hash = hash_of(plan);
    if (const auto found = known_.find(hash); found != known_.end())
      return found->second;
    work_ += simulated_work(plan.graph.size());
    return known_[hash] = space_.step(plan);
  } catch (const InputError&) {
    return std::nullopt;  // Values that the schedule refuses, or that do not go together.
  }
}

}  // namespace stepcast
