#pragma once

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// What the host of a rank takes for the tasks of a plan, by software.host_* of its cluster.
class HostTimes {
 public:
  /// All three must outlive this.
  HostTimes(const Plan& plan, const Workload& workload, const Software& costs);

  /// To launch a compute task: its kernels, where the workload counts them; one for what is neither
  /// pass nor update. Nothing for the host's own work.
  Seconds launch(const Task& task) const;
  /// Behind it: for the gradients that a backward pass hands over.
  Seconds hooks(const Task& task) const;
  /// A collective of that team: nothing where everybody in it is alone.
  Seconds hand_over(const Team& team) const;

 private:
  const Layer* layer_of(const Task& task) const;
  double share_of(const Task& update) const;

  const Workload& workload_;
  const Software& costs_;
  double tensors_ = 0;
  double updates_ = 0;  // in a training step
};

}  // namespace stepcast
