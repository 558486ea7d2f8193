#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "traces/job/spans/server_events.hpp"

namespace stepcast {

/// What a partition goes through in a step, in order.
using ServerRound = std::vector<ServerEvent>;

/// The events of a job cut into rounds: of a partition on a worker from a push to the answer of its
/// pull, on a server from the copy of the first push to that of the sum.
struct ServerRounds {
  std::set<std::uint32_t> workers;
  std::set<std::uint32_t> servers;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<ServerRound>> of_workers;
  std::map<std::string, std::vector<ServerRound>> of_servers;

  /// Servers are ranks behind all workers.
  std::uint32_t rank_of_server(std::uint32_t server) const;
  /// The rank whose clock an event's times are of: the receiver's.
  std::uint32_t clock_of(const ServerEvent& event) const;
};

inline bool is_message(const ServerEvent& event) {
  return event.stage < ServerStage::CopyFirst;
}
inline bool is_to_server(const ServerEvent& event) {
  return event.stage == ServerStage::PushRequest || event.stage == ServerStage::PullRequest;
}

/// Rounds that lack an event, as the first push of a tensor, which nobody sums, are counted and
/// left out. Linear in events.
ServerRounds cut_into_rounds(std::vector<ServerEvent> events, ImportReport& report);

/// By rank, by how much its clock is ahead of the first worker's. Whoever answers has got the
/// question, which bounds each pair from both sides; the middle is taken. Clocks without such
/// bounds are counted as doubtful.
std::vector<Seconds> clocks_of(const ServerRounds& rounds, ImportReport& report);

}  // namespace stepcast
