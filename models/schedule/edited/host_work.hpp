#pragma once

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// Whether the cluster gives any of software.host_per_launch, .host_per_gradient,
/// .host_per_update and .host_per_collective.
bool has_host_costs(const Software& software);

/// The plan with what its hosts do, on a stream "host" of each rank, one thing after the other in
/// the order of the program (the eager execution of PyTorch): the launches of a layer's pass, the
/// hooks of the gradients that its backward pass hands over, collectives that are ready to be
/// issued by then, the updates of parameters. The device computes what has been launched, a
/// collective begins (or is announced to Horovod's thread, run_ahead=on) when it has been handed
/// over: while the device is behind, none of this shows. Work of the host that stood on the compute
/// stream (ByteScheduler's hooks) moves there; a profile's gaps for the host (HostGap) stay, so
/// drop them where launches are given. What a policy hands over at run time (Horovod, priorities)
/// the host waits for before it launches what needs it; on an in-order stream the device waits. The
/// host is at most two iterations ahead. A launch is counted for each kernel where the workload
/// knows how many a layer has, else not, and one for any other compute. Without such costs the plan
/// as it is; so is one of tasks that need but some of what they follow (Quorum).
Plan with_host(Plan plan, const Workload& workload, const Cluster& cluster);

}  // namespace stepcast
