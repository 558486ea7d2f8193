#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/device_costs_reader.hpp"

namespace stepcast {
namespace {

std::string costs_text(const std::string& sample) {
  return R"({"format": "stepcast-compression-costs", "version": 1, "device": "d",
             "provenance": {"kind": "assumed", "source": "s"}, "exact_s_per_x_log2_x": 1e-9,
             "search_rounds": 2, "sample": )" +
         sample + R"(, "fit_passes": 3, "pick_passes": 4, "feedback_passes": 5,
             "scatter_bytes_per_entry": 6, "low_rank_passes": 7, "launch": "8us",
             "memory_bandwidth": "9GBps"})";
}

TEST(CompressionCostsReader, ReadsEveryField) {
  const CompressionCosts costs = parse_compression_costs(costs_text("0.5"), "c.json");
  EXPECT_EQ(costs.exact, Seconds{1e-9});
  EXPECT_EQ(costs.search_rounds, 2);
  EXPECT_EQ(costs.sample, 0.5);
  EXPECT_EQ(costs.fit_passes, 3);
  EXPECT_EQ(costs.pick_passes, 4);
  EXPECT_EQ(costs.feedback_passes, 5);
  EXPECT_EQ(costs.scatter_traffic, Bytes{6});
  EXPECT_EQ(costs.low_rank_passes, 7);
  EXPECT_EQ(costs.launch, Seconds{8e-6});
  EXPECT_EQ(costs.memory_bandwidth, BytesPerSecond{9e9});
}

TEST(CompressionCostsReader, RefusesASampleThatIsNoPart) {
  for (const char* sample : {"0", "1.5"})
    EXPECT_EQ(
        input_error_of([&] { parse_compression_costs(costs_text(sample), "c.json"); }),
        std::string("c.json: /sample: expected a number above 0 and at most 1, found ") + sample);
}

TEST(CompressionCostsReader, DevicesWithoutAFileHaveNoCosts) {
  EXPECT_TRUE(find_compression_costs("rtx2080ti").has_value());
  EXPECT_TRUE(find_compression_costs("v100").has_value());
  EXPECT_FALSE(find_compression_costs("no-such-device").has_value());
}

}  // namespace
}  // namespace stepcast
