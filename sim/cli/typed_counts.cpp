#include "sim/cli/typed_counts.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

using Amount = std::optional<double> Attempt::*;

struct Count {
  const char* option;
  std::string way;
  Amount amount;
  double number;
};

Count parse_count_of(const char* option, const std::string& item, Amount amount) {
  const std::size_t equals = item.find('=');
  double number = 0;
  if (equals != std::string::npos && equals > 0) {
    const char* end = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data() + equals + 1, end, number);
    if (error != std::errc{} || stop != end)
      number = 0;
  }
  if (!(number > 0 && number < 1e12))
    throw InputError(
        fmt::format("{}: expected a schedule and a number above 0 such as "
                    "spd-kfac=55, found {}",
                    option, in_quotes(item)));
  return {option, item.substr(0, equals), amount, number};
}

std::vector<Count> parsed(const TypedCounts& counts) {
  std::vector<Count> result;
  for (const std::string& item : counts.epochs.items)
    result.push_back(parse_count_of("--epochs", item, &Attempt::epochs));
  for (const std::string& item : counts.iterations.items)
    result.push_back(parse_count_of("--steps", item, &Attempt::iterations));
  return result;
}

void give(Attempt& attempt, const Count& count) {
  if (attempt.given)
    throw InputError(fmt::format("{}: expected one count of each way, found a second one of {}",
                                 count.option, in_quotes(count.way)));
  attempt.epochs = attempt.iterations = std::nullopt;
  attempt.*count.amount = count.number;
  attempt.provenance = {.source = "command line"};
  attempt.given = true;
}

void check_samples(const Goal& goal, const TypedCounts& counts) {
  const bool needed =
      std::ranges::any_of(goal.attempts, [](const Attempt& a) { return a.epochs.has_value(); });
  if (needed && goal.samples == 0)
    throw InputError("--epochs: expected the samples of an epoch with --samples");
  if (!needed && counts.samples)
    throw InputError("--samples: expected epochs to count, such as --epochs spd-kfac=55");
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// What the user can type: a label with a comma would be two items.
std::vector<std::string> names_of(const Goal& goal) {
  std::vector<std::string> names;
  for (const Attempt& attempt : goal.attempts) {
    if (attempt.label.find_first_of(",=") == std::string::npos)
      names.push_back(attempt.label);
    else if (std::ranges::count(goal.attempts, attempt.schedule, &Attempt::schedule) == 1)
      names.push_back(attempt.schedule);
  }
  return names;
}

Attempt& way_of(Goal& goal, const Count& count) {
  for (Attempt& attempt : goal.attempts)
    if (same_but_for_case(attempt.label, count.way))
      return attempt;
  const auto found = std::ranges::find(goal.attempts, count.way, &Attempt::schedule);
  if (std::ranges::count(goal.attempts, count.way, &Attempt::schedule) == 1)
    return *found;
  throw InputError(fmt::format("{}: expected one of the goal's ways, {}; found {}", count.option,
                               fmt::join(names_of(goal), ", "), in_quotes(count.way)));
}

}  // namespace

Goal goal_of(const TypedCounts& counts) {
  Goal goal{.name = "given", .target = "the epochs or iterations given"};
  goal.samples = counts.samples.value_or(0);
  for (const Count& count : parsed(counts)) {
    auto way = std::ranges::find(goal.attempts, count.way, &Attempt::schedule);
    if (way == goal.attempts.end())
      way = goal.attempts.insert(way, {.label = count.way, .schedule = count.way});
    give(*way, count);
  }
  check_samples(goal, counts);
  return goal;
}

Goal with_counts(Goal goal, const TypedCounts& counts) {
  if (counts.samples)
    goal.samples = *counts.samples;
  for (const Count& count : parsed(counts))
    give(way_of(goal, count), count);
  check_samples(goal, counts);
  return goal;
}

}  // namespace stepcast
