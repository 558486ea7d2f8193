#include "sim/probe/work.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "traces/catalog.hpp"

namespace stepcast {
namespace {

std::vector<std::uint64_t> sizes_of(const Work& work, KernelFamily family) {
  std::vector<std::uint64_t> sizes;
  for (const KernelShape& shape : work.shapes)
    if (shape.family == family)
      sizes.push_back(shape.size);
  return sizes;
}

TEST(Work, MultipliesTheShapesOfLayersAndFactors) {
  Workload workload;
  workload.layers = {{.name = "fc",
                      .kind = "Linear",
                      .parameters = {},
                      .kronecker = KroneckerFactors{.a = 10, .g = 20, .rows = 30}}};
  const Work work = work_of(ProbeKind::Gemm, {}, std::vector{workload}, false);
  // Forward, two gradients, two factors, in three precisions.
  EXPECT_EQ(work.shapes.size(), 15U);
  const KernelShape forward{.family = KernelFamily::GemmBf16, .m = 30, .n = 20, .k = 10};
  EXPECT_NE(std::ranges::find(work.shapes, forward), work.shapes.end());
}

TEST(Work, CoversTheSidesOfInverses) {
  const auto sides = sizes_of(work_of(ProbeKind::Inverse, {}, {}, false), KernelFamily::Inverse);
  EXPECT_EQ(sides.front(), 64U);
  EXPECT_EQ(sides.back(), 4608U);
  EXPECT_TRUE(std::ranges::is_sorted(sides));
}

TEST(Work, CoversTenThousandToAHundredMillionElements) {
  const auto sizes = sizes_of(work_of(ProbeKind::Selection, {}, {}, false), KernelFamily::TopK);
  EXPECT_EQ(sizes.front(), 10000U);
  EXPECT_EQ(sizes.back(), 100000000U);
}

TEST(Work, GivesEveryRankOfACollectiveAWholeNumberOfElements) {
  const Work work = work_of(ProbeKind::Collectives, {.gpus = 6}, {}, false);
  for (const KernelShape& shape : work.shapes)
    EXPECT_EQ(shape.size % (4 * shape.gpus), 0U) << describe(shape);
  const auto sizes = sizes_of(work, KernelFamily::AllReduce);
  EXPECT_EQ(std::ranges::min(sizes), 8U);  // on one GPU
  EXPECT_EQ(std::ranges::max(sizes), 1U << 30);
}

TEST(Work, LeavesOutWhatDoesNotFitIntoMemory) {
  const Work all = work_of(ProbeKind::Memory, {}, {}, false);
  const Work small = work_of(ProbeKind::Memory, {.memory = {256.0 * (1 << 20)}}, {}, false);
  EXPECT_GT(small.too_large, 0U);
  EXPECT_EQ(small.shapes.size() + small.too_large, all.shapes.size());
  for (const KernelShape& shape : small.shapes)
    EXPECT_LE(memory_of(shape).value, 256.0 * (1 << 20));
}

TEST(Work, CopiesBetweenPeersOnlyWhereThereAreSome) {
  EXPECT_TRUE(
      sizes_of(work_of(ProbeKind::Memory, {.gpus = 2}, {}, false), KernelFamily::CopyPeer).empty());
  EXPECT_FALSE(sizes_of(work_of(ProbeKind::Memory, {.gpus = 2, .peers = true}, {}, false),
                        KernelFamily::CopyPeer)
                   .empty());
}

TEST(Work, IsLessInAHurry) {
  for (const ProbeKind kind : parse_probe_arguments({}).probes) {
    std::vector<Workload> workloads;
    if (kind == ProbeKind::Gemm)
      workloads.push_back(load_workload("resnet50-rtx2080ti-bs64"));
    EXPECT_LT(2 * work_of(kind, {}, workloads, true).shapes.size(),
              work_of(kind, {}, workloads, false).shapes.size())
        << name_of(kind);
  }
}

TEST(Work, FindsTheSideOfAPackedTriangle) {
  // Triangles of side 1, 2, 3, 4 have 1, 3, 6, 10 elements.
  EXPECT_EQ(side_of_packed(1), 1U);
  EXPECT_EQ(side_of_packed(5), 2U);
  EXPECT_EQ(side_of_packed(6), 3U);
  EXPECT_EQ(side_of_packed(10), 4U);
}

}  // namespace
}  // namespace stepcast
