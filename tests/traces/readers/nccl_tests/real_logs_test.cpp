// The shipped curves against the logs that they were read from; skipped where those are absent.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "traces/catalog.hpp"
#include "traces/readers/benchmark_log.hpp"
#include "traces/readers/stepcast/collectives_file.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(STEPCAST_SOURCE_DIR) / "../shared/data";

/// Every log under `folder` with this extension is a curve of the shipped file `name`.
void expect_shipped(const fs::path& folder, const std::string& extension, const std::string& name,
                    const BenchmarkHints& hints) {
  const MeasuredCollectives shipped = read_collectives(find_file(CatalogKind::Collectives, name));
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != extension)
      continue;
    ImportReport report;
    const BenchmarkLog log = read_benchmark_log(entry.path(), hints, report);
    ASSERT_TRUE(log.curve) << entry.path();
    const auto same = std::ranges::find_if(shipped.curves, [&](const CollectiveCurve& curve) {
      return curve.kind == log.curve->kind && curve.ranks == log.curve->ranks &&
             curve.nodes == log.curve->nodes;
    });
    ASSERT_NE(same, shipped.curves.end()) << entry.path();
    ASSERT_EQ(same->points.size(), log.curve->points.size()) << entry.path();
    for (std::size_t i = 0; i < same->points.size(); ++i)
      EXPECT_NEAR(same->points[i].time / log.curve->points[i].time, 1, 1e-8);
  }
}

TEST(RealLogs, AbcisCurvesAreThoseOfItsLogs) {
  if (!fs::is_directory(kData / "abci2"))
    GTEST_SKIP() << kData / "abci2"
                 << " is not there";
  expect_shipped(kData / "abci2/allreduce", ".nccl", "v100-32x4-edr-nccl", {});
  expect_shipped(kData / "abci2/bcast", ".nccl", "v100-32x4-edr-nccl", {});
}

TEST(RealLogs, TheA100NodesCurvesAreThoseOfItsLogs) {
  if (!fs::is_directory(kData / "nccl_tests"))
    GTEST_SKIP() << kData / "nccl_tests"
                 << " is not there";
  expect_shipped(kData / "nccl_tests", ".log", "a100-1x8-nvswitch",
                 {.nodes = 1, .gpus_per_node = 8});
}

}  // namespace
}  // namespace stepcast
