#pragma once

#include "models/workload/workload.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// The step of a job of several stages as a workload: a layer for each part of the model, with the
/// means over its ranks, steps and micro-batches of what a pass takes (ideal: of its kind), and in
/// Workload::pipeline what ranks do once a step. A sample is a micro-batch.
///
/// Sizes are those that the traces hold, else those of the job file, else those that take the
/// recorded time on the network of the cluster that it names (recorded_on); the notes of the
/// provenance say which. Throws InputError naming the key of the job file that is missing,
/// as pipeline_record_of(), and for several chunks of a rank whose passes do not alternate.
Workload pipeline_workload_of(const Job& job, bool ideal);

}  // namespace stepcast
