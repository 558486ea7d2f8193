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
/// over: while the device is behind, none of this shows. A collective of one rank is handed over in
/// no time. Work of the host that stands on the compute stream stays there: ByteScheduler's hooks,
/// which host_per_gradient replaces, and a profile's gaps for the host (HostGap), so drop them
/// where launches are given. What a policy hands over at run time (Horovod, priorities)
/// the host waits for before it launches what needs it; on an in-order stream the device waits. The
/// host is at most two iterations ahead. A launch is counted for each kernel where the workload
/// knows how many a layer has, else not, and one for any other compute. Without such costs the plan
/// as it is; so is a bound, which holds without, and one of tasks that need but some of what they
/// follow (Quorum), with a note. Pipelines and what workers decide at run time have no hosts
/// either: see note_no_host().
Plan with_host(Plan plan, const Workload& workload, const Cluster& cluster);

/// Adds a note that the costs which the cluster gives do not count in this plan; none, no note.
void note_no_host(Plan& plan, const Software& software);

}  // namespace stepcast
