#include "sim/study/edge/edge_round.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

EdgeDevice device(double compute_s, double upload_s) {
  return {"a", Seconds{compute_s}, Bytes{upload_s * 1e6}, BytesPerSecond{1e6}};
}

double round_of(const std::vector<EdgeDevice>& devices, const std::vector<double>& shares) {
  double most = 0;
  for (std::size_t i = 0; i < devices.size(); ++i)
    most = std::max(
        most, devices[i].compute.value + devices[i].size.value / devices[i].rate.value / shares[i]);
  return most;
}

TEST(EdgeRound, OfEqualComputeTakesTheSumOfUploads) {
  // 2 + 1/w, 2 + 3/w' with w + w' = 1: both 6 at w = 1/4; with equal shares the second takes 8.
  const std::vector<EdgeDevice> devices{device(2, 1), device(2, 3)};
  const EdgeRound best = best_round(devices);
  EXPECT_NEAR(best.time.value, 6, 1e-12);
  EXPECT_NEAR(best.devices[0].share, 0.25, 1e-12);
  EXPECT_NEAR(equal_round(devices).time.value, 8, 1e-12);
}

TEST(EdgeRound, OfTwoDevicesSolvesItsQuadraticEquation) {
  // 1/(T - 1) + 2/(T - 4) = 1: T^2 - 8 T + 10 = 0, T = 4 + sqrt 6.
  const EdgeRound best = best_round({device(1, 1), device(4, 2)});
  EXPECT_NEAR(best.time.value, 4 + std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(best.devices[0].round.value, best.devices[1].round.value, 1e-12);
  EXPECT_NEAR(best.devices[0].share + best.devices[1].share, 1, 1e-12);
}

TEST(EdgeRound, NoOtherSharesAreFaster) {
  const std::vector<EdgeDevice> devices{device(1, 0.3), device(0.1, 2), device(3, 1),
                                        device(0, 0.7)};
  const EdgeRound best = best_round(devices);
  std::vector<double> shares;
  for (const EdgeShare& each : best.devices)
    shares.push_back(each.share);
  EXPECT_NEAR(round_of(devices, shares), best.time.value, 1e-9);
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to) {
      if (from == to)
        continue;
      std::vector<double> moved = shares;
      moved[from] -= 1e-3;
      moved[to] += 1e-3;
      EXPECT_GT(round_of(devices, moved), best.time.value);
    }
}

TEST(EdgeRound, WaitsForWhoSendsNothingButComputesLongest) {
  const EdgeRound best = best_round({device(9, 0), device(1, 2)});
  EXPECT_EQ(best.time, Seconds{9});
  EXPECT_EQ(best.devices[0].share, 0);
}

TEST(EdgeRound, OfOneDeviceGivesItTheBand) {
  EXPECT_NEAR(best_round({device(3, 4)}).time.value, 7, 1e-12);
  EXPECT_NEAR(best_round({device(3, 4)}).devices[0].share, 1, 1e-12);
  // An upload that is lost in rounding leaves shares that are numbers.
  EXPECT_LE(best_round({device(1e9, 1e-9), device(1e9, 0)}).devices[0].share, 1);
}

TEST(EdgeDevices, AreReadByColumnAndRefusedByLine) {
  const std::string heading = "rate_bytes_per_s,device,work_flops,speed_flops_per_s,size_bytes\n";
  const auto devices =
      parse_edge_devices("# radio\n" + heading + "2e6,\"a, b\",6e9,2e9,4e6\n", "x");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, "a, b");
  EXPECT_EQ(devices[0].compute, Seconds{3});
  EXPECT_EQ(devices[0].size / devices[0].rate, Seconds{2});
  const auto refusal = [&](const std::string& text) {
    return input_error_of([&] { parse_edge_devices(text, "x.csv"); });
  };
  EXPECT_EQ(refusal(heading + "0,a,1,1,1\n"),
            "x.csv:2: rate_bytes_per_s: expected a number above 0 and at most 1e+24, found \"0\"");
  EXPECT_EQ(refusal("device\n"), "x.csv: expected a column work_flops, found device");
  const auto late = parse_edge_devices(
      "start_s,rate_bytes_per_s,device,work_flops,speed_flops_per_s,size_bytes\n.5,1,a,1,1,1\n",
      "x");
  EXPECT_EQ(late[0].start, Seconds{0.5});
  EXPECT_EQ(refusal("rate_bytes_per_s,device,work_flops,speed_flops_per_s,size_bytes,start_s\n"
                    "1,a,1,1,1,-1\n"),
            "x.csv:2: start_s: expected a number of at least 0 and at most 1e+24, found \"-1\"");
  EXPECT_EQ(refusal(heading + "1,a\n"), "x.csv:2: expected 5 cells, as the heading has, found 2");
  EXPECT_EQ(refusal(heading + "1,,1,1,1\n"), "x.csv:2: device: expected a name, found \"\"");
  EXPECT_EQ(refusal(heading + "1,a,1e24,1e-9,1\n"),
            "x.csv:2: speed_flops_per_s: expected a rate at which a round takes at most 1e+09 s, "
            "found \"1e-9\"");
  EXPECT_EQ(refusal(heading + std::string("1,a\0b,1,1,1\n", 12)),
            "x.csv:2: expected text, found a byte of 0");
  EXPECT_EQ(refusal(heading), "x.csv: expected a line for each device, found none");
  EXPECT_EQ(refusal(""), "x.csv: expected a heading with the names of the columns, found nothing");
}

}  // namespace
}  // namespace stepcast
