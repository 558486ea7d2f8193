#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/small_job.hpp"

namespace stepcast {
namespace {

/// Two ranks that compute 1 ms and then sum buckets one after the other, each for 1 ms and 1 ms a
/// megabyte more.
Job with_buckets(const std::vector<double>& megabytes) {
  SmallJob small;
  std::vector<std::vector<std::uint32_t>> sums(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    std::uint32_t before = small.add(rank, kForward, 1, 0, 1);
    double end = 1;
    for (const double size : megabytes) {
      small.job().kinds.push_back({.name = "all-reduce of " + std::to_string(size),
                                   .work = JobWork::Transfer,
                                   .part = "all-reduce",
                                   .size = Bytes{1e6 * size},
                                   .ranks = 2,
                                   .purpose = JobPurpose::Sum});
      const auto kind = static_cast<SmallKind>(small.job().kinds.size() - 1);
      const std::uint32_t sum = small.add(rank, kind, 2, end, end + 1 + size);
      small.edge(before, sum);
      sums[rank].push_back(sum);
      before = sum;
      end += 1 + size;
    }
  }
  for (std::size_t i = 0; i < megabytes.size(); ++i)
    small.meet(sums[0][i], sums[1][i]);
  return small.job();
}

// 1 + 2 + 2 + 4 ms; all five megabytes as one take 6 instead of 8 ms.
TEST(LargerBucketsTest, FusedBucketsSaveTheirStartUps) {
  const auto larger = larger_buckets(with_buckets({1, 1, 3}));
  ASSERT_TRUE(larger);
  expect_ms(larger->now, 9);
  EXPECT_NEAR(larger->step.value, 0.007, 1e-6);
  EXPECT_GE(larger->size, Bytes{6e6});
}

TEST(LargerBucketsTest, OfOneSizeTheStartUpIsNotKnown) {
  EXPECT_FALSE(larger_buckets(with_buckets({2, 2, 2})));
}

TEST(LargerBucketsTest, TransfersThatMayBeWaitsAreNotFused) {
  Job job = with_buckets({1, 1, 3});
  job.gpus = 3;
  EXPECT_FALSE(larger_buckets(job));
}

TEST(LargerBucketsTest, OneCollectiveIsFusedWithNothing) {
  EXPECT_FALSE(larger_buckets(with_buckets({2})));
}

}  // namespace
}  // namespace stepcast
