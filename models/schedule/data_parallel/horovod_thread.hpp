#pragma once
// Horovod's control plane, the same for every schedule that hands its collectives to Horovod.

#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// The options cycle, fusion_buffer, response_cache, negotiation_per_cycle, negotiation_per_rank,
/// negotiation_per_tensor and run_ahead, the last with its default.
///
/// A hook announces a gradient when the host has issued it, whether or not the device has computed
/// it (mpi_ops_v2.cc: the event of the data is recorded and the tensor enqueued; PerformOperation
/// of operations.cc waits for the events). So what a cycle finds depends on the host's pace, of
/// which a workload tells nothing: its times are the device's. `off` takes the device's pace for
/// the host's, `on` a host that is infinitely fast. The default is what the trace can tell, off; on
/// where a program says when its host is stopped, as K-FAC's and that of the DeAR paper do. Not
/// told, it may be either: of published runs of ResNet-50 those on V100s (BlueFog) are met by `off`
/// alone.
std::vector<OptionInfo> horovod_options(const char* run_ahead = "off");

/// One negotiation takes
///   negotiation_per_cycle + negotiation_per_rank ranks
///     + (without the response cache) negotiation_per_request ranks tensors:
/// the thread of every rank must take part in every cycle, and without the cache the coordinator
/// reads a request of every rank for every tensor (mpi_controller.cc of Horovod 0.21: two gathers
/// and two broadcasts; with the cache one all-reduce of bits). Reads horovod_options().
Negotiated horovod_rule(const Cluster& cluster, const OptionReader& read);

/// Whether the host issues the backward pass ahead of the device. Then the thread knows of all its
/// tensors when the device begins it (no later, if the host was stopped before it; else it may know
/// of them earlier), and waits for the data of each buffer.
inline bool host_runs_ahead(const OptionReader& read) {
  return read.is("run_ahead", "on");
}

}  // namespace stepcast
