#include "traces/job/spans/server_rounds.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "traces/job/clock/clock_evidence.hpp"
#include "traces/job/clock/clock_fit.hpp"

namespace stepcast {
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
