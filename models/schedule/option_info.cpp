#include "models/schedule/option_info.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

bool is_bounded(const OptionRange& range) {
  return range.most < std::numeric_limits<double>::infinity();
}

/// "a time above 0", "a whole number from 1 to 1024"
std::string expectation_of(const OptionInfo& option) {
  const OptionRange& range = option.range;
  switch (option.kind) {
    case OptionKind::Choice:
      return fmt::format("one of {}", fmt::join(option.words, ", "));
    case OptionKind::Size:
      return fmt::format("a size of at least {}", format_bytes({range.least}));
    case OptionKind::Time:
      return fmt::format("a time {} {}", range.above_least ? "above" : "of at least", range.least);
    case OptionKind::Count:
      return is_bounded(range)
                 ? fmt::format("a whole number from {} to {}", range.least, range.most)
                 : fmt::format("a whole number from {} on", range.least);
    case OptionKind::Series:
      return fmt::format("numbers above {} and at most {}, with colons between them", range.least,
                         range.most);
    case OptionKind::Text:
      return option.words.empty()
                 ? "a text"
                 : fmt::format("a text, or one of {}", fmt::join(option.words, ", "));
    case OptionKind::Number:
      break;
  }
  if (!is_bounded(range))
    return fmt::format("a number {} {}", range.above_least ? "above" : "of at least", range.least);
  if (!range.above_least && !range.below_most)
    return fmt::format("a number from {} to {}", range.least, range.most);
  return fmt::format("a number {} {} and {} {}", range.above_least ? "above" : "of at least",
                     range.least, range.below_most ? "below" : "at most", range.most);
}

double number_in(const OptionInfo& option, const std::string& text) {
  switch (option.kind) {
    case OptionKind::Choice:
    case OptionKind::Text:
      break;
    case OptionKind::Size:
      return parse_bytes(text).value;
    case OptionKind::Time:
      return parse_seconds(text).value;
    case OptionKind::Count:
      return parse_count(text, static_cast<std::uint32_t>(option.range.least));
    case OptionKind::Number:
      return parse_number(text);
    case OptionKind::Series:
      return parse_series(option, text).front();
  }
  throw InputError(fmt::format("expected {}, found {}{}", expectation_of(option), in_quotes(text),
                               did_you_mean(text, option.words)));
}

}  // namespace

const char* name_of(OptionKind kind) {
  return name_among({"choice", "size", "time", "count", "number", "series", "text"}, kind);
}

double parse_option(const OptionInfo& option, const std::string& text) {
  const double value = number_in(option, text);
  if (option.range.contains(value))
    return value;
  const std::string found = option.kind == OptionKind::Count ? text : "\"" + text + "\"";
  throw InputError(fmt::format("expected {}, found {}", expectation_of(option), found));
}

std::vector<double> parse_series(const OptionInfo& option, const std::string& text) try {
  std::vector<double> numbers;
  for (const std::string_view part : split(text, ':')) {
    numbers.push_back(parse_number(part));
    if (!option.range.contains(numbers.back()))
      throw InputError("out of range");
  }
  return numbers;
} catch (const InputError&) {
  throw InputError(fmt::format("expected {}, found {}", expectation_of(option), in_quotes(text)));
}

void check_option(const OptionInfo& option, const std::string& text) {
  if (option.search && option.search->word == text)
    throw InputError(fmt::format("{} must be resolved by tuning before the plan is built", text));
  if (option.kind != OptionKind::Text &&
      std::ranges::find(option.words, text) == option.words.end())
    parse_option(option, text);
}

}  // namespace stepcast
