// Memory of a GPU against Korthikanti et al. 2022 (arXiv 2205.05198): equations 2, 4, 5 and 6 with
// the four configurations of their table 3 (micro-batch, tensor, pipeline, interleaving).
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

struct Configuration {
  const char* model;
  double billions;  // parameters
  std::uint32_t pipeline, chunks, micro_batch, global_batch;
};
constexpr std::uint32_t kTensor = 8;
constexpr Configuration kConfigurations[] = {{"gpt-22b", 22, 1, 1, 4, 4},
                                             {"gpt3-175b", 175, 8, 3, 1, 64},
                                             {"gpt-530b", 530, 35, 3, 1, 280},
                                             {"gpt-1t", 1008, 64, 1, 1, 512}};

HybridRun run_of(const Configuration& of, const char* recompute, bool sequence_parallel) {
  const Workload model =
      *find_transformer_model(std::string("transformer:device=a100,model=") + of.model);
  Cluster cluster = load_cluster("dgx-a100");
  cluster.nodes = of.pipeline;
  ScheduleOptions options{{"tp", std::to_string(kTensor)},
                          {"pp", std::to_string(of.pipeline)},
                          {"micro_batch", std::to_string(of.micro_batch)},
                          {"global_batch", std::to_string(of.global_batch)},
                          {"recompute", recompute},
                          {"sequence_parallel", sequence_parallel ? "yes" : "no"},
                          {"gradient_bytes", "4"}};
  if (of.chunks > 1)
    options["virtual_stages"] = std::to_string(of.chunks);
  return build_hybrid(schedule_of(of.chunks > 1 ? "interleaved" : "1f1b"), model, cluster, options);
}

Transformer shape_of(const Configuration& of) {
  return find_transformer_model(std::string("transformer:device=a100,model=") + of.model)
      ->transformer->shape;
}

// Bytes of a block and micro-batch over s b h.
double block_factor(const Transformer& shape, bool selective, bool sequence_parallel) {
  const double scores = selective ? 0 : 5.0 * shape.heads * shape.seq / shape.hidden;
  return (sequence_parallel ? 34.0 / kTensor : 10 + 24.0 / kTensor) + scores / kTensor;
}

// Of the first stage: as many blocks as the model has, more where parts are interleaved; masks of
// the embedding's dropout; where there is one stage, what the head and the last norm keep.
double published_activations(const Configuration& of, bool selective, bool sequence_parallel) {
  const Transformer shape = shape_of(of);
  const double sbh = 1.0 * shape.seq * of.micro_batch * shape.hidden;
  const double p = of.pipeline;
  const double held = of.chunks > 1 ? 1 + (p - 1) / (p * of.chunks) : 1;
  const double head = p == 1 ? 4 * (1 + 1.0 * shape.vocab / shape.hidden) : 0;
  return sbh * (shape.layers * block_factor(shape, selective, sequence_parallel) * held +
                (p + head) / kTensor);
}

TEST(PublishedMemory, ActivationsOfTheFirstStageAreWithinFivePerCent) {
  for (const Configuration& of : kConfigurations)
    for (const bool selective : {false, true})
      for (const bool sequence_parallel : {false, true}) {
        const HybridRun run = run_of(of, selective ? "selective" : "none", sequence_parallel);
        const double ours = run.hybrid.stages.front().memory.activations.value;
        const double published = published_activations(of, selective, sequence_parallel);
        EXPECT_NEAR(ours / published, 1, 0.05)
            << of.model << " selective " << selective << " sequence parallel " << sequence_parallel
            << ": " << ours / 1e9 << " and " << published / 1e9 << " GB";
      }
}

// Inputs of all blocks; beside these, what one block that is computed again keeps meanwhile, which
// the paper leaves out.
TEST(PublishedMemory, FullRecomputationKeepsInputsAndOneBlock) {
  for (const Configuration& of : kConfigurations) {
    const Transformer shape = shape_of(of);
    const double sbh = 1.0 * shape.seq * of.micro_batch * shape.hidden;
    const double p = of.pipeline;
    const double held = of.chunks > 1 ? 1 + (p - 1) / (p * of.chunks) : 1;
    const double head = p == 1 ? 4 * (1 + 1.0 * shape.vocab / shape.hidden) / kTensor : 0;
    const double published = sbh * (2 * shape.layers * held + p / kTensor + head);
    const double ours = run_of(of, "full", false).hybrid.stages.front().memory.activations.value -
                        sbh * block_factor(shape, false, false);
    EXPECT_NEAR(ours / published, 1, 0.05)
        << of.model << ": " << ours / 1e9 << " and " << published / 1e9 << " GB";
  }
}

// 18 bytes a parameter: two of 16 bits, a gradient, a copy and two moments of 32.
TEST(PublishedMemory, StatesOfAGpuAreWithinFivePerCent) {
  for (const Configuration& of : kConfigurations) {
    const std::vector<PlannedStage> stages = run_of(of, "none", false).hybrid.stages;
    const double ours = std::accumulate(stages.begin(), stages.end(), 0.0,
                                        [](double sum, const PlannedStage& s) {
                                          return sum + s.memory.parameters.value +
                                                 s.memory.gradients.value +
                                                 s.memory.optimiser.value;
                                        }) /
                        static_cast<double>(stages.size());
    const double published = of.billions * 1e9 * 18 / kTensor / of.pipeline;
    EXPECT_NEAR(ours / published, 1, 0.05)
        << of.model << ": " << ours / 1e9 << " and " << published / 1e9 << " GB";
  }
}

}  // namespace
}  // namespace stepcast
