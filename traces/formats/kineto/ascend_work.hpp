#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

/// Work on the device in traces of Ascend's PyTorch profiler (torch_npu's trace_view.json). The
/// host side is that of PyTorch's profiler. On the device events have no category but the argument
/// "Task Type", and collectives are named hcom_allReduce__501_0_1: the operation, the group and two
/// numbers. An arrow "torch_to_npu" leads from an operator to each piece of work that it launched.
class AscendWork {
 public:
  /// Whether an event is of Ascend's device or its collectives.
  static bool has(const ChromeEvent& event);

  /// Whether it is computation or a collective. Waits, notes and copies are left out: collectives
  /// consist of them. A collective is also shown by a second process, where it is passed over.
  bool takes(const ChromeEvent& event);

  /// The number of its stream; collectives without one have one for each of their threads.
  std::int32_t stream_of(const ChromeEvent& event);

  /// Notes where the work of event number `index` began, to find its arrow.
  void add(const ChromeEvent& event, std::uint32_t index);

  static bool is_arrow(const ChromeEvent& event);
  void begin_arrow(const ChromeEvent& event, std::uint16_t thread);
  void end_arrow(const ChromeEvent& event);

  /// Adds a launch for every piece of work to which an arrow leads.
  void add_launches(KinetoTrace& trace) const;

 private:
  using Place = std::pair<std::string, double>;  // Process and thread, begin in seconds.
  struct Launch {
    std::uint16_t thread = 0;
    Seconds start{};
  };

  std::map<std::string, Launch> begins_;  // By the arrow's number.
  std::map<Place, std::string> ends_;
  std::vector<std::pair<std::uint32_t, Place>> work_;
  std::map<std::string, std::string> processes_;  // By the name of a collective.
  std::map<std::string, std::int32_t> streams_;   // Of threads without numbers of streams.
};

/// Throws InputError that begins with `origin` for a trace of Ascend's profiler without arrows:
/// which pass its work is of, and what it waited for, is not told.
void require_arrows(const KinetoTrace& trace, const std::string& origin);

}  // namespace stepcast
