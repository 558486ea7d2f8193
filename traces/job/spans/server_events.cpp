#include "traces/job/spans/server_events.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/job/clock/clock_evidence.hpp"
#include "traces/job/clock/clock_fit.hpp"

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

namespace {

/// Messages may have a prefix before the name that servers use: "byteps.gradient_3".
void name_alike(std::vector<ServerEvent>& events) {
  std::set<std::string> names;
  for (const ServerEvent& event : events)
    if (!is_message(event))
      names.insert(event.partition);
  for (ServerEvent& event : events)
    if (const std::size_t dot = event.partition.find('.');
        dot != std::string::npos && !names.contains(event.partition) &&
        names.contains(event.partition.substr(dot + 1)))
      event.partition.erase(0, dot + 1);
}

void keep_whole(const std::string& name, std::size_t events, std::vector<ServerRound>& rounds,
                ImportReport& report) {
  const auto dropped =
      std::erase_if(rounds, [&](const ServerRound& round) { return round.size() != events; });
  for (std::size_t i = 0; i < dropped; ++i)
    report.skip("way of a partition that was not recorded whole", name);
}

}  // namespace

std::uint32_t ServerRounds::rank_of_server(std::uint32_t server) const {
  const std::uint32_t first = workers.empty() ? 0 : *workers.rbegin() + 1;
  return first +
         static_cast<std::uint32_t>(std::distance(servers.begin(), servers.lower_bound(server)));
}

std::uint32_t ServerRounds::clock_of(const ServerEvent& event) const {
  return is_message(event) && !is_to_server(event) ? event.worker : rank_of_server(event.server);
}

// Only events on one clock are put in order, so that clocks may be far apart.
ServerRounds cut_into_rounds(std::vector<ServerEvent> events, ImportReport& report) {
  name_alike(events);
  ServerRounds cut;
  std::map<std::pair<std::pair<std::uint32_t, std::string>, bool>, std::vector<ServerRound>>
      on_a_clock;
  for (const ServerEvent& event : events) {
    auto& rounds = is_message(event)
                       ? on_a_clock[{{event.worker, event.partition}, is_to_server(event)}]
                       : cut.of_servers[event.partition];
    if (is_message(event))
      cut.workers.insert(event.worker);
    cut.servers.insert(event.server);
    const bool begins = event.stage == ServerStage::PushRequest ||
                        event.stage == ServerStage::PushResponse ||
                        event.stage == ServerStage::CopyFirst;
    if (begins || rounds.empty())
      rounds.emplace_back();
    rounds.back().push_back(event);
  }
  for (auto& [partition, rounds] : cut.of_servers)
    keep_whole(partition, cut.workers.size() + 1, rounds, report);
  for (auto& [key, rounds] : on_a_clock)
    keep_whole(key.first.second, 2, rounds, report);
  for (auto& [key, asked] : on_a_clock) {
    const auto answered = on_a_clock.find({key.first, false});
    if (!key.second || answered == on_a_clock.end())
      continue;
    auto& rounds = cut.of_workers[key.first];
    for (std::size_t i = 0; i < std::min(asked.size(), answered->second.size()); ++i)
      rounds.push_back({asked[i][0], answered->second[i][0], asked[i][1], answered->second[i][1]});
  }
  return cut;
}

std::vector<Seconds> clocks_of(const ServerRounds& cut, ImportReport& report) {
  std::vector<std::uint32_t> ranks(cut.workers.begin(), cut.workers.end());
  for (const std::uint32_t server : cut.servers)
    ranks.push_back(cut.rank_of_server(server));
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> tightest;
  const auto bound = [&](const ServerEvent& first, const ServerEvent& second) {
    const double most = (second.begin - first.end).value;
    const auto [found, is_new] =
        tightest.try_emplace({cut.clock_of(first), cut.clock_of(second)}, most);
    found->second = std::min(found->second, most);
  };
  for (const auto& [way, rounds] : cut.of_workers) {
    const auto sums = cut.of_servers.find(way.second);
    for (std::size_t step = 0; step < rounds.size(); ++step) {
      for (std::size_t i = 1; i < rounds[step].size(); ++i)
        if (cut.clock_of(rounds[step][i - 1]) != cut.clock_of(rounds[step][i]))
          bound(rounds[step][i - 1], rounds[step][i]);
      if (sums != cut.of_servers.end() && step < sums->second.size())
        bound(sums->second[step].back(), rounds[step].back());
    }
  }
  ClockEvidence evidence{.hosts = static_cast<std::uint32_t>(ranks.size()), .begins = {0}};
  const auto host_of = [&](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  for (const auto& [pair, most] : tightest)
    evidence.bounds.push_back({host_of(pair.first), host_of(pair.second), most});
  ClockFit fit(evidence);
  fit.obey_bounds();
  std::vector<Seconds> clocks(ranks.empty() ? 0 : ranks.back() + 1U);
  for (std::size_t host = 0; host < ranks.size(); ++host)
    if (fit.parts()[host] != 0)
      report.doubt("clock that no answers bound", fmt::format("rank {}", ranks[host]));
  for (std::size_t host = 0; host < ranks.size(); ++host)
    clocks[ranks[host]] = Seconds{fit.offsets()[host]};
  return clocks;
}

}  // namespace stepcast
