#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/chrome_json/byte_source.hpp"

namespace stepcast {

/// One argument of an event: a text, a number, or (shapes) a list of lists of numbers.
struct ChromeArgument {
  std::string key;
  std::string text;
  std::optional<double> number;
  std::vector<std::vector<double>> shapes;
};

/// One event of a Chrome trace (Trace Event Format) as read. Only valid during the call that hands
/// it over: its storage is used again.
struct ChromeEvent {
  char phase = 0;  ///< 'X' complete, 'B' begin, 'E' end, 'M' metadata, 'i' instant, 's', 'f' flow.
  std::string name;
  std::string category;
  std::string process;
  std::string thread;
  std::string id;                ///< Of an arrow: that of its begin and its end.
  std::optional<Seconds> start;  ///< Since the first time in the file.
  std::optional<Seconds> duration;

  const ChromeArgument* find(std::string_view key) const;
  /// Also of a number that is written as a text.
  std::optional<double> number(std::string_view key) const;
  std::string_view text(std::string_view key) const;

  std::vector<ChromeArgument> slots;  ///< The first `arguments` of them are in use.
  std::size_t arguments = 0;
};

/// Takes what a Chrome trace holds, in file order.
class ChromeSink {
 public:
  virtual ~ChromeSink() = default;
  virtual void event(const ChromeEvent& event) = 0;
  /// An entry of the list of events that is no object.
  virtual void stray() {}
  /// A number or text beside the events, by its path of keys: "distributedInfo/rank",
  /// "deviceProperties/name" (of every device).
  virtual void property(const std::string& /*path*/, const ChromeArgument& /*value*/) {}
};

struct ChromeText {
  std::uint64_t repaired_backslashes = 0;
  std::int64_t first_time_us = 0;  ///< The time that starts count from, on the writer's clock.
  bool truncated = false;          ///< Ended inside the list of events, and that was allowed.
};

struct ChromeOptions {
  bool may_end_early = false;  ///< As a writer leaves it that was stopped.
};

/// Reads a Chrome trace: an object with "traceEvents", or the bare list of events. Throws
/// InputError, beginning with `origin`, for damaged JSON and another top-level type.
ChromeText read_chrome_json(ByteSource& source, const std::string& origin, ChromeSink& sink,
                            const ChromeOptions& options = {});

}  // namespace stepcast
