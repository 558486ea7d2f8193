#include "traces/readers/chrome_json/chrome_events.hpp"

#include <algorithm>
#include <cmath>
#include <istream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/readers/chrome_json/repaired_buffer.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostNumbers = 64;  // Of one shape list; longer ones are cut.

/// The end of what the parser read last: there it stopped. Bytes that may be no UTF-8 are replaced.
std::string tail_of(const std::string& token) {
  constexpr std::size_t kShown = 20;
  std::string tail = token.substr(token.size() - std::min(token.size(), kShown));
  std::ranges::replace_if(
      tail, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }, '?');
  return tail;
}

/// Follows the parser through the document and fills one event after the other. Where it stands is
/// the path of keys: nothing but the current event is kept.
class ChromeHandler final : public nlohmann::json_sax<json> {
 public:
  ChromeHandler(const std::string& origin, ChromeSink& sink, const ChromeOptions& options)
      : origin_(origin), sink_(sink), options_(options) {}

  bool truncated() const { return truncated_; }
  std::int64_t first_time_us() const { return base_.value_or(0); }

  bool null() override { return scalar(std::nullopt, ""); }
  bool boolean(bool value) override { return scalar(value ? 1 : 0, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return whole(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return whole(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override { return scalar(std::nullopt, value); }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override;
  bool start_object(std::size_t) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  enum class Place { Outside, Events, Event, Arguments, Elsewhere };

  void open(Place place);
  void close();
  Place place() const { return places_.empty() ? Place::Outside : places_.back(); }
  bool whole(std::int64_t value);
  bool scalar(std::optional<double> number, std::string_view text);
  void event_field(std::optional<double> number, std::string_view text);
  void property(std::optional<double> number, std::string_view text);
  ChromeArgument& next_argument();
  void begin_event();
  Seconds time_of(std::int64_t microseconds, double fraction);

  const std::string& origin_;
  ChromeSink& sink_;
  const ChromeOptions options_;
  std::vector<Place> places_;
  std::vector<std::string> keys_;  // of the objects around, outermost first
  std::string key_;
  ChromeEvent event_;
  std::size_t shape_depth_ = 0;
  std::size_t shape_numbers_ = 0;
  std::optional<std::int64_t> base_;
  bool truncated_ = false;
};

void ChromeHandler::open(Place place) {
  if (places_.size() >= kDeepest)
    throw InputError(fmt::format("{}: nested deeper than {}", origin_, kDeepest));
  places_.push_back(place);
  keys_.push_back(key_);
}

void ChromeHandler::close() {
  key_ = keys_.back();
  keys_.pop_back();
  places_.pop_back();
}

bool ChromeHandler::key(string_t& name) {
  key_.swap(name);
  if (place() == Place::Arguments && shape_depth_ == 0)
    next_argument().key = key_;
  return true;
}

bool ChromeHandler::start_object(std::size_t) {
  switch (place()) {
    case Place::Events:
      begin_event();
      open(Place::Event);
      return true;
    case Place::Event:
      open(key_ == "args" ? Place::Arguments : Place::Elsewhere);
      return true;
    case Place::Outside:
    case Place::Arguments:
    case Place::Elsewhere:
      open(Place::Elsewhere);
      return true;
  }
  return true;
}

bool ChromeHandler::end_object() {
  const Place left = place();
  close();
  if (left == Place::Event)
    sink_.event(event_);
  return true;
}

bool ChromeHandler::start_array(std::size_t) {
  if (place() == Place::Arguments) {
    if (shape_depth_++ == 0)
      shape_numbers_ = 0;
    if (shape_depth_ == 2)
      event_.slots[event_.arguments - 1].shapes.emplace_back();
    return true;
  }
  if (place() == Place::Events)
    sink_.stray();
  const bool events = places_.empty() || (places_.size() == 1 && key_ == "traceEvents");
  open(events ? Place::Events : Place::Elsewhere);
  return true;
}

bool ChromeHandler::end_array() {
  if (place() == Place::Arguments && shape_depth_ > 0)
    --shape_depth_;
  else
    close();
  return true;
}

bool ChromeHandler::whole(std::int64_t value) {
  if (place() == Place::Event && (key_ == "ts" || key_ == "dur")) {
    (key_ == "ts" ? event_.start : event_.duration) =
        key_ == "ts" ? time_of(value, 0) : Seconds{static_cast<double>(value) * kMicrosecond};
    return true;
  }
  return scalar(static_cast<double>(value), {});
}

bool ChromeHandler::number_float(number_float_t value, const string_t&) {
  constexpr double kLargest = 9e18;
  if (place() != Place::Event || (key_ != "ts" && key_ != "dur"))
    return scalar(value, {});
  if (!(std::abs(value) < kLargest))
    return true;
  if (key_ == "dur") {
    event_.duration = Seconds{value * kMicrosecond};
    return true;
  }
  const double floor = std::floor(value);
  event_.start = time_of(static_cast<std::int64_t>(floor), value - floor);
  return true;
}

// Microseconds since 1970 leave a double little room for fractions: count from the first time.
Seconds ChromeHandler::time_of(std::int64_t microseconds, double fraction) {
  if (!base_)
    base_ = microseconds;
  const double whole = static_cast<double>(microseconds) - static_cast<double>(*base_);
  return Seconds{(whole + fraction) * kMicrosecond};
}

bool ChromeHandler::scalar(std::optional<double> number, std::string_view text) {
  switch (place()) {
    case Place::Outside:
      throw InputError(origin_ + ": expected an object or a list of events, found a single value");
    case Place::Events:
      sink_.stray();
      return true;
    case Place::Event:
      event_field(number, text);
      return true;
    case Place::Arguments: {
      ChromeArgument& argument = event_.slots[event_.arguments - 1];
      if (shape_depth_ == 0) {
        argument.number = number;
        argument.text = text;
      } else if (shape_depth_ == 2 && number && shape_numbers_++ < kMostNumbers) {
        argument.shapes.back().push_back(*number);
      }
      return true;
    }
    case Place::Elsewhere:
      property(number, text);
      return true;
  }
  return true;
}

void ChromeHandler::event_field(std::optional<double> number, std::string_view text) {
  const auto written = [&] { return number ? fmt::format("{:.0f}", *number) : std::string(text); };
  if (key_ == "ph")
    event_.phase = text.empty() ? '\0' : text.front();
  else if (key_ == "name")
    event_.name = text;
  else if (key_ == "cat")
    event_.category = text;
  else if (key_ == "pid")
    event_.process = written();
  else if (key_ == "tid")
    event_.thread = written();
}

void ChromeHandler::property(std::optional<double> number, std::string_view text) {
  std::string path;
  for (std::size_t i = 1; i < keys_.size(); ++i)
    if (!keys_[i].empty() && (i == 1 || keys_[i] != keys_[i - 1]))
      path += keys_[i] + "/";
  sink_.property(path + key_, {.key = key_, .text = std::string(text), .number = number});
}

ChromeArgument& ChromeHandler::next_argument() {
  if (event_.arguments == event_.slots.size())
    event_.slots.emplace_back();
  ChromeArgument& argument = event_.slots[event_.arguments++];
  argument.text.clear();
  argument.number.reset();
  argument.shapes.clear();
  return argument;
}

void ChromeHandler::begin_event() {
  event_.phase = 0;
  event_.name.clear();
  event_.category.clear();
  event_.process.clear();
  event_.thread.clear();
  event_.start.reset();
  event_.duration.reset();
  event_.arguments = 0;
  shape_depth_ = 0;
}

bool ChromeHandler::parse_error(std::size_t position, const std::string& token,
                                const nlohmann::detail::exception& error) {
  const std::string what = error.what();
  const bool at_end = what.find("unexpected end of input") != std::string::npos ||
                      what.find("missing closing quote") != std::string::npos ||
                      token.find('\0') != std::string::npos;
  if (at_end && options_.may_end_early && !places_.empty() && places_.front() == Place::Events) {
    truncated_ = true;
    return false;
  }
  if (at_end)
    throw InputError(origin_ + ": the text ends too early (is the file truncated?)");
  throw InputError(
      fmt::format("{}: byte {}: no JSON: found {}", origin_, position, in_quotes(tail_of(token))));
}

}  // namespace

const ChromeArgument* ChromeEvent::find(std::string_view key) const {
  for (std::size_t i = 0; i < arguments; ++i)
    if (slots[i].key == key)
      return &slots[i];
  return nullptr;
}

std::optional<double> ChromeEvent::number(std::string_view key) const {
  const ChromeArgument* argument = find(key);
  return argument == nullptr ? std::nullopt : argument->number;
}

std::string_view ChromeEvent::text(std::string_view key) const {
  const ChromeArgument* argument = find(key);
  return argument == nullptr ? std::string_view() : std::string_view(argument->text);
}

ChromeText read_chrome_json(ByteSource& source, const std::string& origin, ChromeSink& sink,
                            const ChromeOptions& options) {
  RepairedBuffer buffer(source);
  std::istream stream(&buffer);
  ChromeHandler handler(origin, sink, options);
  json::sax_parse(stream, &handler);
  return {.repaired_backslashes = buffer.repaired(),
          .first_time_us = handler.first_time_us(),
          .truncated = handler.truncated()};
}

}  // namespace stepcast
