#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "traces/readers/reader.hpp"

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

}  // namespace stepcast
