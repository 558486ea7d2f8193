#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// What a partition of a tensor goes through on its way over a server, in order; a server sums what
/// all workers but the first push.
enum class ServerStage : std::uint8_t {
  PushRequest,
  PushResponse,
  PullRequest,
  PullResponse,
  CopyFirst,
  Sum,
  CopyMerged,
};
inline constexpr std::array<const char*, 7> kServerStages = {
    "PUSH_REQ", "PUSH_RES", "PULL_REQ", "PULL_RES", "COPY_FIRST", "SUM", "COPY_MERGED"};

struct ServerEvent {
  std::string partition;  ///< "gradient_3~PART0".
  ServerStage stage{};
  std::uint32_t worker = 0;  ///< Of messages.
  std::uint32_t server = 0;
  std::uint32_t thread = 0;  ///< Of what a server does.
  Seconds begin{};           ///< On the clock of whom it was sent to, or who did it.
  Seconds end{};
};

/// Whether the text begins as one of these files does.
bool is_server_trace(std::string_view head);

/// The events of BytePS's servers as dPRO's recorder writes them (Hu et al., MLSys'22), in order of
/// their begins: messages (comm_timeline.json, processes "worker_0 -> server_1", events
/// "gradient_3~PART0.PUSH") and what servers do (server_timeline.json, processes "server_1", events
/// "gradient_3~PART0.SUM"). Throws InputError where one of the two is missing.
std::vector<ServerEvent> read_server_events(const std::vector<TraceStream>& files,
                                            ImportReport& report);

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
