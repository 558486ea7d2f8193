#pragma once

#include <string>

#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// The options <kind>_ratio and <kind>_codec, of tp, pp or dp, and where sums are added.
MessageCodec codec_of(const OptionReader& read, const std::string& kind);

/// How a job's stages and copies send: compression, links of stages that stand far apart, messages
/// that block. Throws InputError naming the option that is at fault.
void add_messages(HybridJob& job, const Cluster& cluster, const HybridReader& options);

}  // namespace stepcast
