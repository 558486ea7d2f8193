// The Kronecker factors of the shipped models against the published totals of SPD-KFAC's models.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Totals {
  const char* workload;
  std::uint32_t batch;
  std::size_t layers;
  std::uint64_t packed_a;
  std::uint64_t packed_g;
  std::uint32_t largest;
  std::size_t tensors;
  double step_time;
};

/// Names the test.
void PrintTo(const Totals& tested, std::ostream* out) {
  *out << tested.workload;
}

// Packed sums in elements, as computed from the public model definitions; the papers round them to
// 62.35, 14.62 M and so on.
constexpr Totals kTotals[] = {
    {"resnet50-rtx2080ti-bs32", 32, 54, 62348671, 14618356, 4608, 161, 0.132},
    {"resnet152-rtx2080ti-bs8", 8, 156, 161955199, 32927476, 4608, 467, 0.114},
    {"densenet201-rtx2080ti-bs16", 16, 201, 130961295, 1806420, 1921, 604, 0.178},
    {"inceptionv4-rtx2080ti-bs16", 16, 150, 116414683, 4695748, 3456, 449, 0.134},
};

class KroneckerTotals : public testing::TestWithParam<Totals> {};

TEST_P(KroneckerTotals, EqualThePublishedOnes) {
  const Workload workload = load_workload(GetParam().workload);
  std::uint64_t packed_a = 0, packed_g = 0;
  std::uint32_t largest = 0;
  std::size_t layers = 0;
  for (const Layer& layer : workload.layers) {
    if (!layer.kronecker)
      continue;
    ++layers;
    packed_a += packed_elements(layer.kronecker->a);
    packed_g += packed_elements(layer.kronecker->g);
    largest = std::max({largest, layer.kronecker->a, layer.kronecker->g});
  }
  EXPECT_EQ(layers, GetParam().layers);
  EXPECT_EQ(packed_a, GetParam().packed_a);
  EXPECT_EQ(packed_g, GetParam().packed_g);
  EXPECT_EQ(largest, GetParam().largest);
  EXPECT_EQ(tensor_count(workload), GetParam().tensors);
  EXPECT_EQ(workload.batch, GetParam().batch);
  EXPECT_NEAR((forward_time(workload) + backward_time(workload)).value, GetParam().step_time, 1e-8);
  EXPECT_TRUE(workload.kfac.has_value());
}

INSTANTIATE_TEST_SUITE_P(All, KroneckerTotals, testing::ValuesIn(kTotals));

TEST(Kronecker, RowsFollowTheBatch) {
  const Workload workload = with_batch(load_workload("resnet50-rtx2080ti-bs32"), 8);
  EXPECT_EQ(workload.layers.front().kronecker->rows, 8U * 112 * 112);
}

// conv1 of ResNet-50: 3 x 7 x 7 inputs, 64 outputs of 112 x 112. The classifier has a bias.
TEST(Kronecker, SidesOfTheFirstAndTheLastLayer) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  EXPECT_EQ(workload.layers.front().kronecker->a, 147U);
  EXPECT_EQ(workload.layers.front().kronecker->g, 64U);
  EXPECT_EQ(workload.layers.front().kronecker->rows, 32U * 112 * 112);
  EXPECT_EQ(workload.layers.back().kronecker->a, 2049U);
  EXPECT_EQ(workload.layers.back().kronecker->g, 1000U);
  EXPECT_EQ(workload.layers.back().kronecker->rows, 32U);
}

}  // namespace
}  // namespace stepcast
