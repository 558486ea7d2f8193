#pragma once

#include "models/workload/workload.hpp"
#include "sim/asynchronous/protocols.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// The job of a protocol on a cluster, all of whose GPUs are workers. Its traffic is that of an
/// idle network, on which messages of a graph's round move at once and share links.
/// `software.jitter` of the cluster becomes an exponential delay with that mean of every worker,
/// of which the trace of one holds the mean already. The cluster must outlive the job.
ProtocolJob job_of(const Workload& workload, const Cluster& cluster, const Protocol& protocol,
                   const SlowDown& slow_down, std::uint32_t iterations);

/// Runs it for one seed. At analytic fidelity it has a clock of its own and no network, unless its
/// transfers meet (Protocol::meets), which then share links as make_near_network() says; else
/// `options` say which engine carries both. A schedule whose messages share links by the hundred
/// runs on SimGrid only where that is asked for.
ProtocolRun run_protocol(const Protocol& protocol, ProtocolJob job, const Cluster& cluster,
                         const EngineOptions& options);

}  // namespace stepcast
