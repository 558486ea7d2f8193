#include <utility>

#include <fmt/format.h>

#include "models/schedule/memory.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/options.hpp"

namespace stepcast {
namespace {

constexpr OptionRange kWays{.least = 1, .most = 65536};

OptionInfo ways(const char* name, const char* meaning) {
  return count_option(name, "1", meaning, kWays);
}

OptionInfo count_or_auto(const char* name, const char* meaning) {
  return count_option(name, "auto", meaning, {.least = 1, .most = 4'000'000}, {"auto"});
}

OptionInfo yes_or_no(const char* name, const char* usual, const char* meaning) {
  return choice_option(name, usual, meaning, {"yes", "no"});
}

OptionInfo bytes_each(const char* name, double usual, const char* meaning) {
  return number_option(name, fmt::format("{}", usual), meaning, {.least = 0, .most = 1024});
}

std::vector<OptionInfo> layout_options() {
  return {
      ways("tp", "tensor parallelism: ranks that share every layer; divides the heads"),
      ways("pp", "pipeline parallelism: stages of consecutive layers"),
      ways("cp", "context parallelism: ranks that share every sequence"),
      choice_option("context_parallel", "ring",
                    "how cp shares attention: ring (keys and values go round) or ulysses (by "
                    "heads, with all-to-alls)",
                    {"ring", "ulysses"}),
      ways("ep",
           "expert parallelism: ranks of dp x cp (with etp=1 of tp x cp x dp) that share the "
           "experts"),
      count_or_auto("etp",
                    "ranks that share each expert; auto: tp; 1: experts are whole, and ep divides "
                    "tp x cp x dp"),
      count_or_auto("dp", "data parallelism: copies of the model; auto: GPUs / (tp x pp x cp)"),
      searched(text_option("partition", "equal",
                           "layers of each stage: equal, by time, best (least simulated of these "
                           "and a search), or a list such as 8,8,9,7",
                           {"equal", "time", "best"})),
      searched(yes_or_no("sequence_parallel", "no",
                         "norms and dropout are shared by the ranks of a tensor group too"))};
}

std::vector<OptionInfo> job_options() {
  return {
      count_or_auto("micro_batch", "samples of one pass; auto: the workload's batch"),
      count_or_auto("global_batch",
                    "samples of a step; auto: four micro-batches a stage, one without stages"),
      searched(text_option("recompute", "none",
                           "what the backward pass computes again: none, selective (attention's "
                           "scores), full (whole blocks), or a word for each stage such as "
                           "full,full,none",
                           {"none", "selective", "full"})),
      bytes_each("optimiser_bytes", kUpdateTraffic,
                 "bytes that the optimiser moves for a parameter"),
      bytes_each("accumulation_bytes", kAccumulationTraffic,
                 "bytes moved to add a parameter's gradient of a micro-batch to the step's"),
      choice_option("pad_vocabulary", "yes",
                    "to 128 numbers a rank: yes, no, or only where it is cut (tensor)",
                    {"yes", "no", "tensor"}),
      number_option("expert_imbalance", "1", "load of the fullest expert over the mean",
                    {.least = 1, .most = 1024}),
      number_option("capacity_factor", "0",
                    "tokens that each expert computes over the mean, more dropped, less padded; "
                    "0: no limit, so that the fullest one decides",
                    {.least = 0, .most = 1024}),
      optimiser_option()};
}

std::vector<OptionInfo> kernel_options() {
  return {time_option("host_block", "0s",
                      "time of the host to launch a pass of a block, such as \"1ms\": a pass takes "
                      "no less"),
          choice_option("tensor_overlap", "none",
                        "messages inside layers run beside compute: none, backward (beside weight "
                        "gradients) or pieces (async TP)",
                        {"none", "backward", "pieces"}),
          yes_or_no("recompute_stops_early", "no",
                    "full recomputation leaves out a block's last product, whose output nobody "
                    "needs (PyTorch's non-reentrant checkpoints)"),
          number_option("elementwise_traffic", "1",
                        "bytes moved by norms, activations and sums over those of fused kernels",
                        {.least = 0, .most = 16, .above_least = true}),
          number_option("attention_rate", "1",
                        "rate of flash attention over that of the device's law: 0.6 for its first "
                        "version",
                        {.least = 0, .most = 16, .above_least = true})};
}

constexpr OptionRange kRatio{.least = 1, .most = 1e6};
constexpr OptionRange kRate{.least = 0, .most = 1e9};

// Messages inside tensor groups and between stages, and their compression.
std::vector<OptionInfo> message_options() {
  return {
      choice_option("messages", "asynchronous",
                    "between stages: asynchronous (beside compute) or blocking (sender and "
                    "receiver wait)",
                    {"asynchronous", "blocking"}),
      searched(yes_or_no("scatter_messages", "no",
                         "ranks of a tensor group send a part of the activations each to the "
                         "next stage")),
      number_option("tp_ratio", "1", "bytes inside tensor groups over those sent", kRatio),
      number_option("tp_codec", "0", "GB/s at which a GPU packs or unpacks them; 0: free", kRate),
      number_option("pp_ratio", "1", "bytes between stages over those sent", kRatio),
      number_option("pp_codec", "0", "the same for these", kRate),
      choice_option("compressed_sums", "ends",
                    "where compressed sums are unpacked and added: at the ends, or at all hops "
                    "of the ring",
                    {"ends", "hops"}),
      text_option("stage_links", "cluster",
                  "of stages that stand far apart, a link to each next one, such as "
                  "100Mbps/40ms,1Gbps; cluster: its network",
                  {"cluster"}),
      choice_option("stage_ratios", "equal",
                    "beside stage_links: pp_ratio on each link (equal), or on the slowest, and "
                    "less on others (adaptive)",
                    {"equal", "adaptive"})};
}

}  // namespace

std::vector<std::string> memory_options() {
  return {"recompute", "zero", "sequence_parallel", "micro_batch", "partition", "warm_up"};
}

std::vector<OptionInfo> hybrid_options() {
  std::vector<OptionInfo> options;
  const auto add = [&](const char* group, std::vector<OptionInfo> more) {
    for (OptionInfo& option : more) {
      option.group = group;
      options.push_back(std::move(option));
    }
  };
  add("layout", layout_options());
  add("job", job_options());
  add(kExchange, exchange_options());
  add("messages", message_options());
  add("kernels", kernel_options());
  return options;
}

}  // namespace stepcast
