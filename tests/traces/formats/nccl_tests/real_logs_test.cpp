// The shipped curves against the logs that they were read from; skipped where those are absent.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/recorded_data.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

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
  STEPCAST_SKIP_WITHOUT(recorded_data("abci2"));
  expect_shipped(recorded_data("abci2/allreduce"), ".nccl", "v100-32x4-edr-nccl", {});
  expect_shipped(recorded_data("abci2/bcast"), ".nccl", "v100-32x4-edr-nccl", {});
}

TEST(RealLogs, TheA100NodesCurvesAreThoseOfItsLogs) {
  STEPCAST_SKIP_WITHOUT(recorded_data("nccl_tests"));
  expect_shipped(recorded_data("nccl_tests"), ".log", "a100-1x8-nvswitch",
                 {.nodes = 1, .gpus_per_node = 8});
}

}  // namespace
}  // namespace stepcast
