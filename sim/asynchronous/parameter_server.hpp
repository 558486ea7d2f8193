#pragma once

#include "sim/asynchronous/world.hpp"

namespace stepcast {

enum class ServerRule : std::uint8_t {
  StaleSynchronous,  ///< Nobody starts more than `slack` + 1 ahead (Ho et al., SSP, NIPS 2013).
  Asynchronous,      ///< Nobody waits.
  Backup,            ///< A step ends with the (n - backup)-th push (Chen et al., 2016).
};

struct ServerOptions {
  ServerRule rule = ServerRule::StaleSynchronous;
  std::uint32_t slack = 3;
  std::uint32_t backup = 1;
  Seconds transfer{};  ///< A model over a worker's link, one way.
  Seconds service{};   ///< The same over the links of all servers: what they take in or give out.
  Seconds sum{};       ///< Adding a push at the servers.
};

/// Pull, compute, push; models are cut among equal servers, which take what comes in turn, in and
/// out at once. SSP: S_i(k+1) = max(F_i(k), max_j F_j(k - slack)); asynchronous: throughput is
/// min(sum_i 1 / (g_i + 2 transfer), 1 / service, 1 / sum). Throws InputError unless fewer are
/// backups than there are workers.
ProtocolRun run_parameter_server(const ProtocolJob& job, const ServerOptions& options);

}  // namespace stepcast
