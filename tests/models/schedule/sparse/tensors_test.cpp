#include "models/schedule/sparse/tensors.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/sparse/settings.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast::sparse {
namespace {

// 5 layers of 1e6 fp32 elements: 4 MB each.
const Workload kWorkload = examples::uniform_workload(5, {1e-3}, {2e-3}, 1'000'000);

std::vector<Tensor> fused(const std::string& fusion, const std::string& buffer) {
  const ScheduleInfo& info = schedule_of("topka2a");
  const ScheduleOptions options{{"fusion", fusion}, {"fusion_buffer", buffer}};
  return fused_tensors(kWorkload,
                       OptionReader("test", info.options, effective_options(info, options)));
}

TEST(Tensors, CloseWhenTheyReachTheBuffer) {
  const auto tensors = fused("buffer", "6MB");
  ASSERT_EQ(tensors.size(), 3U);  // layers 4 and 3, 2 and 1, 0
  EXPECT_EQ(tensors[0].last_ready, 3U);
  EXPECT_EQ(tensors[0].elements, 2e6);
  EXPECT_EQ(tensors[2].elements, 1e6);
}

TEST(Tensors, AreLayersOrTheModel) {
  EXPECT_EQ(fused("layer", "25MiB").size(), 5U);
  const auto model = fused("model", "1B");
  ASSERT_EQ(model.size(), 1U);
  EXPECT_EQ(model[0].last_ready, 0U);
  EXPECT_EQ(model[0].label, "all gradients");
}

TEST(Tensors, ABinarySearchIsResolvedBeforeThePlanIsBuilt) {
  EXPECT_EQ(input_error_of([&] { fused("binary", "1MiB"); }),
            "test: option fusion: binary must be resolved by tuning before the plan is built");
}

TEST(Tensors, SelectAWholeNumberOfEntriesAndAtLeastOne) {
  EXPECT_EQ(selected_of(0.02, 1e6), 2e4);
  EXPECT_EQ(selected_of(0.001, 2499), 2);
  EXPECT_EQ(selected_of(1e-9, 10), 1);
  EXPECT_EQ(shard_of(10, 4), 3);
  EXPECT_EQ(shard_of(3, 8), 1);
}

TEST(Encoding, ABitmapCostsABitForEveryElement) {
  EXPECT_EQ(size_of_indices({.bitmap = true}, 10, 8000), Bytes{1000});
  EXPECT_EQ(size_of_indices({}, 10, 8000), Bytes{40});
  EXPECT_EQ(size_of_values({.value = {2}}, 10), Bytes{20});
}

// 5e6 parameters: 20 MB of residuals. topka2a at density 0.1 on 4 ranks: all-to-alls of 5e5 values
// and indices, 2 MB each, and the dense gradient of 20 MB gathered.
TEST(SparseMemory, HoldsResidualsAndWhatIsReceived) {
  const Cluster cluster = examples::plain_cluster(4);
  const auto use_with = [&](const ScheduleOptions& options) {
    return build_plan("topka2a", kWorkload, cluster, options).memory;
  };
  ScheduleOptions options{{"selection", "free"}, {"fusion", "model"}, {"density", "0.1"}};
  EXPECT_EQ(use_with(options).residuals, Bytes{20e6});
  EXPECT_EQ(use_with(options).fusion_buffers, Bytes{24e6});
  options["error_feedback"] = "no";
  EXPECT_EQ(use_with(options).residuals, Bytes{});
}

// Every step: 5e5 values and indices exchanged and as many gathered, 4 MB each. Every fourth also
// gathers the values of all sums: of 5e6 elements the 1 - 0.9^4 that any of 4 ranks selected.
// Borders of 4 regions are all-reduced, 16 bytes.
TEST(SparseMemory, IsThatOfTheStepOfAPeriodThatNeedsMost) {
  const Cluster cluster = examples::plain_cluster(4);
  const ScheduleOptions options{
      {"selection", "free"}, {"density", "0.1"}, {"threshold_every", "4"}, {"balance_every", "2"}};
  const MemoryUse use = build_plan("ok-topk", kWorkload, cluster, options).memory;
  EXPECT_NEAR(use.fusion_buffers.value, 4e6 + 4e6 + 4 * (1 - 0.6561) * 5e6 + 16, 1);
}

}  // namespace
}  // namespace stepcast::sparse
