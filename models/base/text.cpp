#include "models/base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/utf8.hpp"

namespace stepcast {
namespace {

/// A unit and its size in the SI base unit.
struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024.0;
constexpr double kMi = kKi * kKi;
constexpr double kGi = kMi * kKi;
constexpr double kTi = kGi * kKi;

constexpr std::array kTimeUnits{
    Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},    Unit{"s", 1},     Unit{"m", 60},
    Unit{"min", 60},  Unit{"h", 3600},  Unit{"hours", 3600}, Unit{"d", 86400}, Unit{"days", 86400}};
// A number alone counts bytes.
constexpr std::array kSizeUnits{
    Unit{"", 1},      Unit{"B", 1},     Unit{"kB", 1e3},  Unit{"MB", 1e6},  Unit{"GB", 1e9},
    Unit{"TB", 1e12}, Unit{"KiB", kKi}, Unit{"MiB", kMi}, Unit{"GiB", kGi}, Unit{"TiB", kTi}};
// A bandwidth is a size per second, written "10Gbps", "10Gb/s" or "10Gbit/s", "1.2GBps" or
// "1.2GB/s".
constexpr std::array kMultiples{Unit{"", 1},     Unit{"k", 1e3},  Unit{"M", 1e6},
                                Unit{"G", 1e9},  Unit{"T", 1e12}, Unit{"Ki", kKi},
                                Unit{"Mi", kMi}, Unit{"Gi", kGi}, Unit{"Ti", kTi}};
constexpr std::array kRates{Unit{"bps", 1.0 / 8}, Unit{"b/s", 1.0 / 8}, Unit{"bit/s", 1.0 / 8},
                            Unit{"Bps", 1}, Unit{"B/s", 1}};

// Units for output: ascending, each one 1000 (1024 for sizes) times the one before.
constexpr std::array kShownTimes{Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},
                                 Unit{"s", 1}};
constexpr std::array kShownSizes{Unit{"B", 1}, Unit{"KiB", kKi}, Unit{"MiB", kMi}, Unit{"GiB", kGi},
                                 Unit{"TiB", kTi}};
constexpr std::array kShownBandwidths{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6},
                                      Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}};

[[noreturn]] void refuse(std::string_view expected, std::string_view text) {
  throw InputError(fmt::format("expected {}, found {}", expected, in_quotes(text)));
}

/// A finite number at the start of the text; advances `text` past it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value))
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "65536 B" of "65,536 B": without the commas between groups of three digits at the start.
std::string without_thousands(std::string_view text) {
  const auto digits = [text](std::size_t from) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text.substr(from), is_digit) -
                                    text.substr(from).begin());
  };
  std::size_t end = digits(0);
  if (end == 0 || end > 3)
    return std::string(text);
  while (end < text.size() && text[end] == ',' && digits(end + 1) == 3)
    end += 4;
  std::string number(text.substr(0, end));
  std::erase(number, ',');
  return number.append(text.substr(end));
}

/// The factor of a unit by its name.
std::optional<double> factor_among(std::span<const Unit> units, std::string_view name) {
  const auto unit = std::ranges::find(units, name, &Unit::name);
  return unit == units.end() ? std::nullopt : std::optional(unit->factor);
}

std::optional<double> factor_of_rate(std::string_view name) {
  for (const Unit& rate : kRates) {
    if (!name.ends_with(rate.name))
      continue;
    name.remove_suffix(rate.name.size());
    const std::optional<double> multiple = factor_among(kMultiples, name);
    return multiple ? std::optional(*multiple * rate.factor) : std::nullopt;
  }
  return std::nullopt;
}

/// A non-negative finite quantity "<number><unit>" in the base unit, where tables put a space
/// between the two.
template <class FactorOf>
std::optional<double> find_quantity(std::string_view text, FactorOf factor_of) {
  const std::string plain = without_thousands(text);
  std::string_view unit = plain;
  if (unit.starts_with('-'))
    return std::nullopt;
  const std::optional<double> number = take_number(unit);
  if (unit.size() > 1 && unit.front() == ' ')
    unit.remove_prefix(1);
  const std::optional<double> factor = number ? factor_of(unit) : std::nullopt;
  const double value = factor ? *number * *factor : 0;
  return factor && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double plausible(double value, const PlausibleRange& range, std::string_view text) {
  if (!range.contains(value))
    refuse(range.words, text);
  return value;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

/// Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and
/// swaps of neighbours, no substring edited twice. Keeps three rows of the table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), one_back(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_back, one_back);
    std::swap(one_back, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = one_back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({one_back[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped)
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Four significant digits in the largest unit that leaves at least 1. The margin lets a value that
/// would be printed as "1000 ms" move on to "1 s".
std::string format_in(double value, std::span<const Unit> units) {
  constexpr double kRoundsUp = 0.99995;
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (std::abs(value) >= kRoundsUp * unit.factor)
      best = &unit;
  }
  const double scaled = value / best->factor;
  if (std::abs(scaled) >= 9999.5)
    return fmt::format("{:.0f} {}", scaled, best->name);
  return fmt::format("{:.4g} {}", scaled, best->name);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // Never cut inside a UTF-8 character.
  std::string shown = valid_utf8(text.substr(0, end));
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return '"' + shown + (end < text.size() ? "...\"" : "\"");
}

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestName = 200;  // Bounds the work on hostile input.
  if (name.size() > kLongestName)
    return "";
  const std::string wanted = lowered(name);
  std::string nearest;
  std::size_t smallest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lowered(candidate));
    if (distance >= smallest)
      continue;
    smallest = distance;
    nearest = candidate;
  }
  if (!nearest.empty() || name.size() < 3)
    return nearest;
  const auto longer = std::ranges::find_if(
      candidates, [&](const std::string& c) { return lowered(c).starts_with(wanted); });
  return longer == candidates.end() ? "" : *longer;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  std::string_view rest = name;
  if (take_number(rest) && rest.empty())
    return "";  // Another number is no likely typo.
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() || nearest == name ? ""
                                            : fmt::format("; did you mean {}?", in_quotes(nearest));
}

Seconds parse_seconds(std::string_view text) {
  const auto value =
      find_quantity(text, [](std::string_view unit) { return factor_among(kTimeUnits, unit); });
  if (!value)
    refuse("a time such as \"2us\"", text);
  return {plausible(*value, kTimeRange, text)};
}

Bytes parse_bytes(std::string_view text) {
  const auto value =
      find_quantity(text, [](std::string_view unit) { return factor_among(kSizeUnits, unit); });
  if (!value)
    refuse("a size such as \"25MiB\"", text);
  return {plausible(*value, kSizeRange, text)};
}

BytesPerSecond parse_bandwidth(std::string_view text) {
  const auto value = find_quantity(text, factor_of_rate);
  if (!value)
    refuse("a bandwidth such as \"10Gbps\" or \"1.2GBps\"", text);
  if (*value <= 0)
    refuse("a bandwidth above zero", text);
  return {plausible(*value, kBandwidthRange, text)};
}

double parse_number(std::string_view text) {
  const std::string plain = without_thousands(text);
  std::string_view rest = plain;
  const std::optional<double> value = take_number(rest);
  const bool is_percent = rest == "%" || rest == " %";
  if (!value || !(rest.empty() || is_percent))
    refuse("a number", text);
  return plausible(is_percent ? *value / 100 : *value, kNumberRange, text);
}

std::uint32_t parse_count(std::string_view text, std::uint32_t least) {
  std::uint32_t value = 0;
  const std::string plain = without_thousands(text);
  const char* const last = plain.data() + plain.size();
  const auto [end, error] = std::from_chars(plain.data(), last, value);
  if (error == std::errc::result_out_of_range && end == last)
    refuse(fmt::format("a whole number from {} to {}", least,
                       std::numeric_limits<std::uint32_t>::max()),
           text);
  const bool whole = error == std::errc{} && end == last;
  if (!whole || value < least)
    refuse(fmt::format("a whole number from {} on", least), text);
  return value;
}

std::string format_seconds(Seconds time) {
  if (time.value == 0)
    return "0 s";
  return format_in(time.value, kShownTimes);
}

std::string format_bytes(Bytes size) {
  return format_in(size.value, kShownSizes);
}

std::string format_bandwidth(BytesPerSecond bandwidth) {
  return format_in(bandwidth.value, kShownBandwidths);
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

std::string lower_case(std::string_view text) {
  std::string small;
  for (const char c : text)
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

std::string letters_and_digits(std::string_view text) {
  std::string letters = lower_case(text);
  std::erase_if(letters, [](unsigned char c) { return std::isalnum(c) == 0; });
  return letters;
}

std::optional<std::uint64_t> number_at_end(std::string_view name) {
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const char* digits = name.data() + name.find_last_not_of("0123456789") + 1;
  const bool is_number = std::from_chars(digits, end, number).ec == std::errc();
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace stepcast
