#include <algorithm>
#include <iterator>

#include "models/schedule/memory.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {
namespace {

constexpr OptionRange kWays{.least = 1, .most = 65536};

OptionInfo ways(const char* name, const char* meaning) {
  return {.name = name,
          .default_value = "1",
          .meaning = meaning,
          .kind = OptionKind::Count,
          .range = kWays};
}

OptionInfo count_or_auto(const char* name, const char* meaning) {
  return {.name = name,
          .default_value = "auto",
          .meaning = meaning,
          .kind = OptionKind::Count,
          .words = {"auto"},
          .range = {.least = 1, .most = 4'000'000}};
}

OptionInfo yes_or_no(const char* name, const char* usual, const char* meaning) {
  return {.name = name, .default_value = usual, .meaning = meaning, .words = {"yes", "no"}};
}

OptionInfo bytes_each(const char* name, const char* usual, const char* meaning) {
  return {.name = name,
          .default_value = usual,
          .meaning = meaning,
          .kind = OptionKind::Number,
          .range = {.least = 0, .most = 1024}};
}

std::vector<OptionInfo> layout_options() {
  return {
      ways("tp", "tensor parallelism: ranks that share every layer; divides the heads"),
      ways("pp", "pipeline parallelism: stages of consecutive layers"),
      ways("cp", "context parallelism: ranks that share every sequence"),
      ways("ep", "expert parallelism: ranks of dp x cp that share the experts"),
      count_or_auto("micro_batch", "samples of one pass; auto: the workload's batch"),
      count_or_auto("global_batch",
                    "samples of a step of all GPUs; auto: four micro-batches for each stage"),
      {.name = "recompute",
       .default_value = "none",
       .meaning = "what the backward pass computes again: none, selective (attention's scores) "
                  "or full (whole blocks)",
       .words = {"none", "selective", "full"}},
      {.name = "zero",
       .default_value = "0",
       .meaning = "what copies share: 1 optimiser state, 2 gradients too, 3 parameters too",
       .words = {"0", "1", "2", "3"}},
      count_or_auto("shard", "copies that share optimiser state (zero=1), neighbours; auto: all"),
      yes_or_no("sequence_parallel", "no",
                "norms and dropout are shared by the ranks of a tensor group too"),
      {.name = "tensor_overlap",
       .default_value = "none",
       .meaning = "messages inside layers run beside compute: none, backward (beside weight "
                  "gradients) or pieces (async TP)",
       .words = {"none", "backward", "pieces"}}};
}

std::vector<OptionInfo> software_options() {
  return {yes_or_no("overlap_gradients", "yes",
                    "gradients of a block travel beside the last backward pass"),
          yes_or_no("norm_barrier", "yes", "all ranks agree on the norm of all gradients"),
          yes_or_no("scatter_messages", "no",
                    "ranks of a tensor group send a part of the activations each to the next "
                    "stage"),
          {.name = "pad_vocabulary",
           .default_value = "yes",
           .meaning = "to 128 numbers a rank: yes, no, or only where it is cut (tensor)",
           .words = {"yes", "no", "tensor"}},
          {.name = "gradient_bytes",
           .default_value = "auto",
           .meaning = "bytes of a parameter's gradient, held and sent; auto: as the parameter",
           .kind = OptionKind::Number,
           .words = {"auto"},
           .range = {.least = 1, .most = 1024}},
          bytes_each("accumulation_bytes", "10",
                     "bytes moved to add a parameter's gradient of a micro-batch to the step's"),
          bytes_each("optimiser_bytes", "30", "bytes that the optimiser moves for a parameter")};
}

std::vector<OptionInfo> kernel_options() {
  return {{.name = "host_block",
           .default_value = "0s",
           .meaning = "time of the host to launch a pass of a block, such as \"1ms\": a pass takes "
                      "no less",
           .kind = OptionKind::Time},
          {.name = "messages",
           .default_value = "asynchronous",
           .meaning = "between stages: asynchronous (beside compute) or blocking (sender and "
                      "receiver wait)",
           .words = {"asynchronous", "blocking"}},
          {.name = "updated",
           .default_value = "all-gather",
           .meaning = "zero=1, 2: how updated parameters come back: all-gather, or broadcasts, one "
                      "after the other from each copy",
           .words = {"all-gather", "broadcasts"}},
          yes_or_no("recompute_stops_early", "no",
                    "full recomputation leaves out a block's last product, whose output nobody "
                    "needs (PyTorch's non-reentrant checkpoints)"),
          {.name = "elementwise_traffic",
           .default_value = "1",
           .meaning = "bytes moved by norms, activations and sums over those of fused kernels",
           .kind = OptionKind::Number,
           .range = {.least = 0, .most = 16, .above_least = true}},
          {.name = "attention_rate",
           .default_value = "1",
           .meaning = "rate of flash attention over that of the device's law: 0.6 for its first "
                      "version",
           .kind = OptionKind::Number,
           .range = {.least = 0, .most = 16, .above_least = true}},
          {.name = "expert_imbalance",
           .default_value = "1",
           .meaning = "load of the fullest expert over the mean",
           .kind = OptionKind::Number,
           .range = {.least = 1, .most = 1024}}};
}

}  // namespace

std::vector<OptionInfo> hybrid_options() {
  std::vector<OptionInfo> options = layout_options();
  for (std::vector<OptionInfo> more : {software_options(), kernel_options()})
    std::ranges::move(more, std::back_inserter(options));
  OptionInfo optimiser = optimiser_option();
  optimiser.default_value = "adam";
  options.push_back(std::move(optimiser));
  return options;
}

}  // namespace stepcast
