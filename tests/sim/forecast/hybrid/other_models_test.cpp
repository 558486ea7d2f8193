// Models that are no GPT or Llama, cut over GPUs: images, and latent attention.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

HybridRun run_of(const std::string& model, ScheduleOptions options) {
  Cluster cluster = load_cluster("dgx-h100");
  cluster.nodes = 1;
  options.insert({{"micro_batch", "1"}, {"global_batch", "8"}});
  return build_hybrid(schedule_of("1f1b"),
                      *find_transformer_model("transformer:device=h100,model=" + model), cluster,
                      options);
}

// Neither patches nor classes are cut, so that nobody waits for a part of them.
TEST(OtherModels, ImagesHaveNoVocabularyToCut) {
  const HybridJob whole = run_of("vit-l-16", {{"tp", "1"}}).job;
  const HybridJob cut = run_of("vit-l-16", {{"tp", "8"}}).job;
  for (const std::size_t end : {std::size_t{0}, cut.units.size() - 1}) {
    EXPECT_EQ(cut.units[end].forward_wait, Seconds{});
    EXPECT_EQ(cut.units[end].backward_wait, Seconds{});
    EXPECT_DOUBLE_EQ(cut.units[end].parameters, whole.units[end].parameters);
  }
  EXPECT_DOUBLE_EQ(stage_parameters(whole, 0).dense, 304326632);
  EXPECT_EQ(whole.units.front().compute.input_gradient.value,  // the sum with positions alone
            0);
}

// The way down to latent numbers is on every rank; two stages hold what one does.
TEST(OtherModels, RanksHoldTheWayDownToLatentNumbers) {
  const double h = 7168;
  const double down = h * (1536 + 512 + 64) + 1536 + 512 + 2 * h;
  const auto block = [](const char* tensor) {
    return run_of("deepseek-v3,layers=4", {{"tp", tensor}}).job.units[1].parameters;
  };
  EXPECT_NEAR((block("1") - down) / (block("8") - down), 8, 1e-9);
  const HybridJob job = run_of("deepseek-v3,layers=4", {{"pp", "2"}}).job;
  const RankParameters first = stage_parameters(job, 0), second = stage_parameters(job, 1);
  const Transformer shape = parse_transformer_shape("model=deepseek-v3,layers=4");
  EXPECT_DOUBLE_EQ(first.dense + first.expert + second.dense + second.expert,
                   static_cast<double>(parameter_count(shape)));
}

}  // namespace
}  // namespace stepcast
