#include "sim/forecast/tuning/tuned_option.hpp"

#include <cmath>

#include <fmt/format.h>

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

}  // namespace

const char* unit_of(OptionKind kind) {
  return kind == OptionKind::Size ? "bytes" : kind == OptionKind::Time ? "s" : name_of(kind);
}

double parse_value(OptionKind kind, std::string_view text) {
  switch (kind) {
    case OptionKind::Size:
      return parse_bytes(text).value;
    case OptionKind::Time:
      return parse_seconds(text).value;
    case OptionKind::Count:
      return parse_count(text);
    case OptionKind::Number:
    case OptionKind::Choice:
    case OptionKind::Series:
    case OptionKind::Text:
      break;
  }
  return parse_number(text);
}

std::string write_value(OptionKind kind, double value) {
  switch (kind) {
    case OptionKind::Size:
      return write_size(value);
    case OptionKind::Time:
      return write_time(value);
    case OptionKind::Count:
      return fmt::format("{:.0f}", value);
    case OptionKind::Number:
    case OptionKind::Choice:
    case OptionKind::Series:
    case OptionKind::Text:
      break;
  }
  return fmt::format("{:.5g}", value);
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
