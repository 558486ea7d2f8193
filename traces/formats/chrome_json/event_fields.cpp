#include "traces/formats/chrome_json/event_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace stepcast {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr std::size_t kMostNumbers = 64;  // Of one shape list; longer ones are cut.

void write_number(double number, std::string& written) {
  constexpr double kExact = 1e15;
  if (number >= 0 && number < kExact && !std::signbit(number) && number == std::floor(number))
    written = fmt::format_int(static_cast<std::int64_t>(number)).str();
  else
    written = fmt::format("{:.0f}", number);
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool whole = error == std::errc{} && stop == end && std::isfinite(number);
  return whole ? std::optional(number) : std::nullopt;
}

void EventFields::begin() {
  event_.phase = 0;
  event_.name.clear();
  event_.category.clear();
  event_.process.clear();
  event_.thread.clear();
  event_.id.clear();
  event_.start.reset();
  event_.duration.reset();
  event_.arguments = 0;
  depth_ = 0;
}

void EventFields::field(std::string_view key, std::optional<double> number, std::string_view text) {
  const auto write = [&](std::string& written) {
    if (number)
      write_number(*number, written);
    else
      written = text;
  };
  if (key == "ph")
    event_.phase = text.empty() ? '\0' : text.front();
  else if (key == "name")
    event_.name = text;
  else if (key == "cat")
    event_.category = text;
  else if (key == "pid")
    write(event_.process);
  else if (key == "tid")
    write(event_.thread);
  else if (key == "id")
    write(event_.id);
  else if (!text.empty() && (key == "ts" || key == "dur"))
    time_in_text(key, text);
}

// Ascend's profiler writes microseconds since 1970 with nanoseconds behind the point: a double
// would round them.
void EventFields::time_in_text(std::string_view key, std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t whole = 0;
  const char* const end = text.data() + point;
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  const std::optional<double> fraction =
      point == text.size() ? 0.0 : number_in(fmt::format("0{}", text.substr(point)));
  if (error == std::errc{} && stop == end && whole >= 0 && fraction && key == "ts")
    event_.start = time_of(whole, *fraction);
  else if (const auto number = number_in(text))
    field(key, *number);
}

void EventFields::field(std::string_view key, std::int64_t number) {
  if (key == "ts")
    event_.start = time_of(number, 0);
  else if (key == "dur")
    event_.duration = Seconds{static_cast<double>(number) * kMicrosecond};
  else
    field(key, static_cast<double>(number), {});
}

void EventFields::field(std::string_view key, double number) {
  constexpr double kLargest = 9e18;
  const bool start = key == "ts";
  if (!start && key != "dur") {
    field(key, number, {});
  } else if (!(std::abs(number) < kLargest)) {
    return;
  } else if (start) {
    const double floor = std::floor(number);
    event_.start = time_of(static_cast<std::int64_t>(floor), number - floor);
  } else {
    event_.duration = Seconds{number * kMicrosecond};
  }
}

// Microseconds since 1970 leave a double little room for fractions: count from the first time.
Seconds EventFields::time_of(std::int64_t microseconds, double fraction) {
  if (!first_time_)
    first_time_ = microseconds;
  const double whole = static_cast<double>(microseconds) - static_cast<double>(*first_time_);
  return Seconds{(whole + fraction) * kMicrosecond};
}

void EventFields::argument(std::string_view key) {
  if (event_.arguments == event_.slots.size())
    event_.slots.emplace_back();
  ChromeArgument& added = event_.slots[event_.arguments++];
  added.key = key;
  added.text.clear();
  added.number.reset();
  added.shapes.clear();
}

void EventFields::value(std::optional<double> number, std::string_view text) {
  ChromeArgument& argument = event_.slots[event_.arguments - 1];
  if (depth_ == 0) {
    argument.number = number;
    argument.text = text;
  } else if (depth_ == 2 && (number || (number = number_in(text))) && numbers_++ < kMostNumbers) {
    argument.shapes.back().push_back(*number);
  }
}

void EventFields::open_list() {
  if (depth_++ == 0)
    numbers_ = 0;
  if (depth_ == 2)
    event_.slots[event_.arguments - 1].shapes.emplace_back();
}

}  // namespace stepcast
