#include "sim/forecast/tuning/tuned_option.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

constexpr double kKibibyte = 1024;
constexpr double kMebibyte = 1048576;

/// Two decimals, without zeros at the end: "25", "25.5", "25.37".
std::string two_decimals(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

std::string write_size(double bytes) {
  if (bytes >= kMebibyte)
    return two_decimals(bytes / kMebibyte) + "MiB";
  if (bytes >= kKibibyte)
    return two_decimals(bytes / kKibibyte) + "KiB";
  return fmt::format("{:.0f}B", bytes);
}

std::string write_time(double seconds) {
  if (seconds >= 1)
    return fmt::format("{:.5g}s", seconds);
  if (seconds >= 1e-3)
    return fmt::format("{:.5g}ms", seconds * 1e3);
  return fmt::format("{:.5g}us", seconds * 1e6);
}

bool is_of(OptionUnit unit, std::string_view text) try {
  parse_value(unit, text);
  return true;
} catch (const InputError&) {
  return false;
}

}  // namespace

const char* name_of(OptionUnit unit) {
  return name_among({"bytes", "s", "count", "number"}, unit);
}

OptionUnit unit_of_text(std::string_view text) {
  for (const OptionUnit unit :
       {OptionUnit::Count, OptionUnit::Number, OptionUnit::Size, OptionUnit::Time}) {
    if (is_of(unit, text))
      return unit;
  }
  throw InputError(fmt::format("expected a size, a time or a number, found {}", in_quotes(text)));
}

double parse_value(OptionUnit unit, std::string_view text) {
  switch (unit) {
    case OptionUnit::Size:
      return parse_bytes(text).value;
    case OptionUnit::Time:
      return parse_seconds(text).value;
    case OptionUnit::Count:
      return parse_count(text);
    case OptionUnit::Number:
      return parse_number(text);
  }
  return 0;
}

std::string write_value(OptionUnit unit, double value) {
  switch (unit) {
    case OptionUnit::Size:
      return write_size(value);
    case OptionUnit::Time:
      return write_time(value);
    case OptionUnit::Count:
      return fmt::format("{:.0f}", value);
    case OptionUnit::Number:
      return fmt::format("{:.5g}", value);
  }
  return "";
}

double SearchRange::at(double share) const {
  if (logarithmic)
    return low * std::pow(high / low, share);
  return low + (high - low) * share;
}

double SearchRange::share_of(double value) const {
  if (logarithmic)
    return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

}  // namespace stepcast
