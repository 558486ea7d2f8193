#pragma once

#include <utility>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {

/// GPT of 22 billion parameters on so many DGX A100.
inline HybridScenario transformer_scenario(const char* pipeline, ScheduleOptions options,
                                           std::uint32_t nodes) {
  HybridScenario scenario{.model = *find_transformer_model("transformer:model=gpt-22b,device=a100"),
                          .cluster = load_cluster("dgx-a100"),
                          .pipeline = find_pipeline(pipeline),
                          .options = std::move(options)};
  scenario.cluster.nodes = nodes;
  return scenario;
}

}  // namespace stepcast
