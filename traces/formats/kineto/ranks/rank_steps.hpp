#pragma once

#include <string>
#include <vector>

#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/kineto/layers/layer_times.hpp"
#include "traces/formats/rank_record.hpp"

namespace stepcast {

/// What is kept of one rank's trace: not its events.
struct RankSteps {
  RankRecord record;
  std::vector<StepLayers> steps;
};

/// Throws InputError unless they can be ranks of one job: different ranks that agree in all else
/// that the files tell. Other layers (a pipeline stage, a shard of embeddings) or buckets are no
/// contradiction where both files tell their rank of as many.
void check_same_job(const std::vector<RankSteps>& ranks);

/// For the provenance: what the ranks' collectives say of their clocks.
std::string alignment_of(const std::vector<RankSteps>& ranks, ImportReport& report);

/// Removes the ranks with other layers than the first one's, of which no mean can be taken, and
/// counts them.
void keep_layers_of_first(std::vector<RankSteps>& ranks, ImportReport& report);

/// What of a rank's trace is compared with the other ranks'. Collectives of a part of the ranks
/// that is not known, and those that a rank may leave early (broadcast, reduce, send) are left out.
RankRecord rank_record_of(const KinetoTrace& trace, const KinetoView& view,
                          const std::string& origin);

}  // namespace stepcast
