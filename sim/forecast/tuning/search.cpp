#include "sim/forecast/tuning/search.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

Trial tried(const SearchTask& task, double value, const std::string& text) try {
  return {.value = value, .text = text, .found = task.measure(text), .refusal = ""};
} catch (const InputError& error) {
  const Seconds never{std::numeric_limits<double>::infinity()};
  return {.value = value, .text = text, .found = {.time = never}, .refusal = error.what()};
}

}  // namespace

Seconds Search::measure(double value) {
  const OptionKind kind = task_.range.kind;
  const std::string text = write_value(kind, value);
  const double written = parse_value(kind, text);
  if (const Trial* known = find(written))
    return known->per_sample();
  trials_.push_back(tried(task_, written, text));
  if (task_.tried)
    task_.tried(trials_.back());
  return trials_.back().per_sample();
}

bool Search::has_measured(double value) const {
  const OptionKind kind = task_.range.kind;
  return find(parse_value(kind, write_value(kind, value))) != nullptr;
}

const Trial* Search::find(double written) const {
  const auto found = std::ranges::find(trials_, written, &Trial::value);
  return found == trials_.end() ? nullptr : &*found;
}

// The first is DeAR's (ICDCS 2023), the second TopKA2A's (ICPP 2024).
const std::vector<StrategyInfo>& all_strategies() {
  static const std::vector<StrategyInfo> strategies{
      {"bo",
       "Bayesian optimisation: Gaussian process, expected improvement",
       search_bo,
       {"xi", "first"}},
      {"binary", "halves the range, keeping the half whose middle is faster", search_binary},
      {"grid", "evenly spaced values, both ends included", search_grid},
      {"random", "uniformly distributed values", search_random, {"seed"}},
      {"exhaustive", "every value that makes a plan of its own", search_exhaustive}};
  return strategies;
}

const StrategyInfo& strategy_of(const std::string& name) {
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : all_strategies()) {
    if (strategy.name == name)
      return strategy;
    names.push_back(strategy.name);
  }
  throw InputError(fmt::format("unknown strategy {}: expected one of {}{}", in_quotes(name),
                               fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace stepcast
