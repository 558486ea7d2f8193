#include "traces/job/spans/server_events.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "traces/readers/chrome_json/chrome_events.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostNodes = 100'000;

/// Who a process stands for: a server, or the way from one to another.
struct Process {
  std::optional<std::uint32_t> worker;
  std::optional<std::uint32_t> server;
  bool to_server = false;
};

/// The number behind a role: "worker_3".
std::optional<std::uint32_t> number_of(std::string_view name, std::string_view role) {
  if (!name.starts_with(role))
    return std::nullopt;
  const std::string_view digits = name.substr(role.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && number < kMostNodes ? std::optional(number) : std::nullopt;
}

Process process_of(std::string_view name) {
  const std::size_t arrow = name.find("->");
  if (arrow == std::string_view::npos)
    return {.server = number_of(trimmed(name), "server_")};
  const std::string_view from = trimmed(name.substr(0, arrow));
  const std::string_view to = trimmed(name.substr(arrow + 2));
  const auto worker = number_of(from, "worker_");
  return worker ? Process{worker, number_of(to, "server_"), true}
                : Process{number_of(to, "worker_"), number_of(from, "server_")};
}

class ServerSink final : public ChromeSink {
 public:
  explicit ServerSink(ImportReport& report) : report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    if (event.phase == 'M' && event.name == "process_name")
      processes_[event.process] = process_of(event.text("name"));
    if (event.phase != 'B' && event.phase != 'E' && event.phase != 'X')
      return;
    if (!event.start) {
      report_.skip("event without a start", fmt::format("event {}", number_));
      return;
    }
    Open& open = open_[{event.process, event.thread, event.name}];
    if (event.phase == 'B')
      open = {*event.start, true};
    else if (event.phase == 'X' || open.is_open)
      seen_.push_back(
          {event.process, event.thread, event.name, event.phase == 'X' ? *event.start : open.begin,
           event.phase == 'X' ? *event.start + event.duration.value_or(Seconds{}) : *event.start});
    else
      report_.skip("end that fits no begin", fmt::format("event {}", number_));
    open.is_open = event.phase == 'B';
  }
  void property(const std::string&, const ChromeArgument&) override {}

  void add_to(std::vector<ServerEvent>& events, Seconds later) {
    for (const Seen& seen : seen_) {
      const auto process = processes_.find(seen.process);
      const auto made = process == processes_.end() ? std::nullopt : made_of(seen, process->second);
      if (!made || seen.end < seen.begin) {
        report_.skip("event that is none of a worker and a server", seen.name);
        continue;
      }
      events.push_back(*made);
      events.back().begin += later;
      events.back().end += later;
    }
  }

 private:
  struct Open {
    Seconds begin{};
    bool is_open = false;
  };
  struct Seen {
    std::string process;
    std::string thread;
    std::string name;
    Seconds begin{};
    Seconds end{};
  };

  /// Names are `[prefix.]tensor[~PARTn].STAGE`.
  static std::optional<ServerEvent> made_of(const Seen& seen, const Process& process) {
    const std::size_t dot = seen.name.rfind('.');
    if (dot == std::string::npos || !process.server)
      return std::nullopt;
    std::string stage = seen.name.substr(dot + 1);
    if (process.worker)
      stage += process.to_server ? "_REQ" : "_RES";
    const auto found = std::ranges::find(kServerStages, stage);
    if (found == kServerStages.end())
      return std::nullopt;
    ServerEvent made{.partition = seen.name.substr(0, dot),
                     .stage = static_cast<ServerStage>(found - kServerStages.begin()),
                     .worker = process.worker.value_or(0),
                     .server = *process.server,
                     .begin = seen.begin,
                     .end = seen.end};
    if ((made.stage >= ServerStage::CopyFirst) == process.worker.has_value())
      return std::nullopt;
    std::from_chars(seen.thread.data(), seen.thread.data() + seen.thread.size(), made.thread);
    return made;
  }

  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::map<std::string, Process> processes_;
  std::map<std::tuple<std::string, std::string, std::string>, Open> open_;
  std::vector<Seen> seen_;
};

}  // namespace

bool is_server_trace(std::string_view head) {
  const auto holds = [&](const char* text) { return head.find(text) != std::string_view::npos; };
  return holds("\"ph\"") && (holds("-> server_") || holds("-> worker_") || holds(".COPY_FIRST\"") ||
                             holds(".COPY_MERGED\""));
}

std::vector<ServerEvent> read_server_events(const std::vector<TraceStream>& files,
                                            ImportReport& report) {
  std::vector<ServerEvent> events;
  std::int64_t first_time_us = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ServerSink sink(report);
    const auto source = files[i].open();
    const ChromeText text = read_chrome_json(*source, files[i].origin, sink, {});
    first_time_us = i == 0 ? text.first_time_us : first_time_us;
    constexpr double kMicro = 1e-6;
    sink.add_to(events, Seconds{kMicro * static_cast<double>(text.first_time_us - first_time_us)});
  }
  const auto any = [&](bool messages) {
    return std::ranges::any_of(events, [&](const ServerEvent& event) {
      return (event.stage < ServerStage::CopyFirst) == messages;
    });
  };
  if (!any(true) || !any(false))
    throw InputError(fmt::format(
        "{}: expected messages (comm_timeline.json) and what servers do (server_timeline.json), "
        "found no {}",
        files.front().origin, any(true) ? "copies and sums of servers" : "messages"));
  std::ranges::stable_sort(events, {}, &ServerEvent::begin);
  return events;
}

}  // namespace stepcast
