#include "traces/formats/chrome_json/chrome_events.hpp"

#include <algorithm>
#include <cstddef>
#include <istream>
#include <iterator>
#include <streambuf>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/chrome_json/event_fields.hpp"
#include "traces/formats/chrome_json/event_windows.hpp"
#include "traces/formats/chrome_json/repaired_buffer.hpp"

namespace stepcast {

namespace {

/// A text, then all that another buffer still holds.
class RestOfText final : public std::streambuf {
 public:
  RestOfText(std::string first, std::streambuf& then) : text_(std::move(first)), then_(then) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override {
    constexpr std::size_t kChunk = std::size_t{1} << 16U;
    text_.resize(kChunk);
    const std::streamsize count = then_.sgetn(text_.data(), kChunk);
    setg(text_.data(), text_.data(), text_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  std::string text_;
  std::streambuf& then_;
};

using nlohmann::json;

constexpr std::size_t kDeepest = 64;

/// The end of what the parser read last: there it stopped. Bytes that may be no UTF-8 are replaced.
std::string tail_of(const std::string& token) {
  constexpr std::size_t kShown = 20;
  std::string tail = token.substr(token.size() - std::min(token.size(), kShown));
  std::ranges::replace_if(
      tail, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }, '?');
  return tail;
}

/// What is read: all, the front up to the list of events, or what is left of the list, with a
/// stand-in for what was read of it, and all behind it.
enum class Part { All, Front, Rest };
constexpr const char* kStandIn = "[0";

/// Follows the parser through the document and fills one event after the other. Where it stands is
/// the path of keys: nothing but the current event is kept.
class ChromeHandler final : public nlohmann::json_sax<json> {
 public:
  /// `before`: bytes of the document before what the parser counts as its first.
  ChromeHandler(const std::string& origin, const ChromeOptions& options, Part part,
                std::int64_t before, EventFields& fields, ChromeSink& sink)
      : origin_(origin),
        options_(options),
        part_(part),
        before_(before),
        stands_in_(part == Part::Rest),
        fields_(fields),
        sink_(sink) {}

  bool truncated() const { return truncated_; }
  /// Of the front: how deep the list of events lies at which it stopped; 0: it did not.
  std::size_t depth_of_list() const { return place() == Place::Events ? places_.size() : 0; }

  bool null() override { return scalar(std::nullopt, ""); }
  bool boolean(bool value) override { return scalar(value ? 1 : 0, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
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
  template <typename Number>
  bool number(Number value);
  bool scalar(std::optional<double> number, std::string_view text);
  void property(std::optional<double> number, std::string_view text);

  const std::string& origin_;
  const ChromeOptions options_;
  const Part part_;
  const std::int64_t before_;
  bool stands_in_;  // The next entry of the list does for others.
  EventFields& fields_;
  ChromeSink& sink_;
  std::vector<Place> places_;
  std::vector<std::string> keys_;  // of the objects around, outermost first
  std::string key_;
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
  if (place() == Place::Arguments && !fields_.in_list())
    fields_.argument(key_);
  return true;
}

bool ChromeHandler::start_object(std::size_t) {
  switch (place()) {
    case Place::Events:
      fields_.begin();
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
    sink_.event(fields_.event());
  return true;
}

bool ChromeHandler::start_array(std::size_t) {
  if (place() == Place::Arguments) {
    fields_.open_list();
    return true;
  }
  if (place() == Place::Events)
    sink_.stray();
  const bool events = places_.empty() || (places_.size() == 1 && key_ == "traceEvents");
  open(events ? Place::Events : Place::Elsewhere);
  return !events || part_ != Part::Front;
}

bool ChromeHandler::end_array() {
  if (place() == Place::Arguments && fields_.in_list())
    fields_.close_list();
  else
    close();
  return true;
}

template <typename Number>
bool ChromeHandler::number(Number value) {
  if (place() != Place::Event)
    return scalar(static_cast<double>(value), {});
  fields_.field(key_, value);
  return true;
}

bool ChromeHandler::scalar(std::optional<double> number, std::string_view text) {
  switch (place()) {
    case Place::Outside:
      throw InputError(origin_ + ": expected an object or a list of events, found a single value");
    case Place::Events:
      if (!std::exchange(stands_in_, false))
        sink_.stray();
      return true;
    case Place::Event:
      fields_.field(key_, number, text);
      return true;
    case Place::Arguments:
      fields_.value(number, text);
      return true;
    case Place::Elsewhere:
      property(number, text);
      return true;
  }
  return true;
}

void ChromeHandler::property(std::optional<double> number, std::string_view text) {
  std::string path;
  for (std::size_t i = 1; i < keys_.size(); ++i)
    if (!keys_[i].empty() && (i == 1 || keys_[i] != keys_[i - 1]))
      path += keys_[i] + "/";
  sink_.property(path + key_, {.key = key_, .text = std::string(text), .number = number});
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
  throw InputError(fmt::format("{}: byte {}: no JSON: found {}", origin_,
                               before_ + static_cast<std::int64_t>(position),
                               in_quotes(tail_of(token))));
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
  if (argument == nullptr || argument->number)
    return argument == nullptr ? std::nullopt : argument->number;
  return number_in(argument->text);
}

std::string_view ChromeEvent::text(std::string_view key) const {
  const ChromeArgument* argument = find(key);
  return argument == nullptr ? std::string_view() : std::string_view(argument->text);
}

// What stands around the events is nlohmann's to read, and so is all from the first event on that
// the windows do not take: its messages tell the place of what is wrong.
ChromeText read_chrome_json(ByteSource& source, const std::string& origin, ChromeSink& sink,
                            const ChromeOptions& options) {
  RepairedBuffer buffer(source);
  EventFields fields;
  std::istream stream(&buffer);
  ChromeHandler front(origin, options, Part::Front, 0, fields, sink);
  json::sax_parse(stream, &front);
  ChromeText text;
  if (const std::size_t depth = front.depth_of_list(); depth > 0) {
    EventWindows windows(buffer, fields, sink);
    windows.read();
    const std::string opened =
        std::string(depth == 1 ? "" : R"({"traceEvents":)") + (windows.read_any() ? kStandIn : "[");
    RestOfText rest(opened + windows.rest(), buffer);
    std::istream rest_stream(&rest);
    ChromeHandler handler(origin, options, windows.read_any() ? Part::Rest : Part::All,
                          windows.position() - std::ssize(opened), fields, sink);
    json::sax_parse(rest_stream, &handler);
    text.truncated = handler.truncated();
  }
  text.repaired_backslashes = buffer.repaired();
  text.first_time_us = fields.first_time_us();
  return text;
}

}  // namespace stepcast
