#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/formats/chrome_json/chrome_events.hpp"

namespace stepcast {

/// The whole text as a finite number; nullopt: it is none.
std::optional<double> number_in(std::string_view text);

/// Fills one event after the other with what a parser finds in it, whichever parser that is.
class EventFields {
 public:
  const ChromeEvent& event() const { return event_; }
  std::int64_t first_time_us() const { return first_time_.value_or(0); }

  /// Another event begins: its storage is used again.
  void begin();

  /// A value of the event itself. Of a number `text` is empty, of a text `number`.
  void field(std::string_view key, std::optional<double> number, std::string_view text);
  void field(std::string_view key, std::int64_t number);
  void field(std::string_view key, double number);

  /// Arguments: a key, then its value, or a list of lists of numbers.
  void argument(std::string_view key);
  void value(std::optional<double> number, std::string_view text);
  void open_list();
  void close_list() { --depth_; }
  bool in_list() const { return depth_ > 0; }

 private:
  void time_in_text(std::string_view key, std::string_view text);
  Seconds time_of(std::int64_t microseconds, double fraction);

  ChromeEvent event_;
  std::size_t depth_ = 0;    // Of lists in an argument.
  std::size_t numbers_ = 0;  // Of its shapes.
  std::optional<std::int64_t> first_time_;
};

}  // namespace stepcast
