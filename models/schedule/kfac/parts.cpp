#include "models/schedule/kfac/parts.hpp"

#include <algorithm>

#include "models/schedule/kfac/updates.hpp"
#include "models/schedule/passes.hpp"

namespace stepcast::kfac {

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names{"ff-bp",
                                              "gradient-communication",
                                              "preconditioning",
                                              "factor-computation",
                                              "factor-communication",
                                              "inverse-computation",
                                              "all"};
  return names;
}

Parts parts_of(const OptionReader& read) {
  const std::string& last = read.choice(
      "parts", {"ff-bp", "gradient-communication", "preconditioning", "factor-computation",
                "factor-communication", "inverse-computation", "all"});
  const std::string& update = read.choice("update", {"inverses", "factors", "none"});
  const auto level = std::ranges::find(part_names(), last) - part_names().begin();
  const bool factors = update != "none";
  const bool inverses = update == "inverses";
  return {.gradient_communication = level >= 1,
          .preconditioning = level >= 2,
          .factor_computation = level >= 3 && factors,
          .factor_communication = level >= 4 && factors,
          .inverse_computation = level >= 5 && inverses,
          .inverse_communication = level >= 6 && inverses,
          .result_communication = level >= 6};
}

std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, Hooks hooks) {
  const std::vector<OptionInfo> common{
      {.name = "parts",
       .default_value = "all",
       .meaning = "leave out what comes after: ff-bp, gradient-communication, preconditioning, "
                  "factor-computation, factor-communication, inverse-computation or all"},
      {.name = "cycle",
       .default_value = "5ms",
       .meaning = "pause between negotiations (HOROVOD_CYCLE_TIME), e.g. 1ms"},
      {.name = "fusion_buffer",
       .default_value = "cluster",
       .meaning = "Horovod's fusion threshold, e.g. 64MiB; 0B: no fusion"},
      {.name = "negotiation_per_cycle",
       .default_value = "cluster",
       .meaning = "time of one negotiation over all ranks, e.g. 0.5ms"},
      {.name = "negotiation_per_rank",
       .default_value = "123us",
       .meaning = "added to it for each rank; with the cycle this makes a blocking all-reduce of a "
                  "few bytes take the published 12.2 ms on 64 GPUs"},
      {.name = "negotiation_per_tensor",
       .default_value = "cluster",
       .meaning = "added for each tensor, the response cache being off; cluster: per request x "
                  "ranks"},
      {.name = "run_ahead",
       .default_value = hooks == Hooks::No ? "on" : "off",
       .meaning = "on: the host issues the backward pass ahead of the GPU, so that gradients "
                  "are negotiated early and fused in full buffers; off: as they become ready"},
      {.name = "metrics",
       .default_value = "2",
       .meaning = "how many scalars (loss, accuracy) are averaged over all ranks between forward "
                  "and backward, each waited for, as the published training script does"},
      algorithm_option(),
      {.name = "broadcast_algorithm",
       .default_value = "double-binary-tree",
       .meaning = "how a broadcast or reduce to one rank runs: double-binary-tree (closest to "
                  "the published cost of a broadcast on 64 GPUs) or chain"}};
  own.insert(own.end(), common.begin(), common.end());
  const std::vector<OptionInfo> updates = update_options();
  own.insert(own.end(), updates.begin(), updates.end());
  return own;
}

}  // namespace stepcast::kfac
