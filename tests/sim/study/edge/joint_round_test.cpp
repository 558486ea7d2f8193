#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "sim/study/edge/edge_round.hpp"

namespace stepcast {
namespace {

/// A device that takes `work` seconds to compute a megabyte and sends `rate` of them a second.
struct Law {
  double work;
  double rate;
  double start = 0;
};

const std::vector<Law> kThree{{.2, 10}, {.1, 4}, {.4, 20}};
const std::vector<Law> kFive{{.2, 10}, {.1, 4}, {.4, 20}, {.05, 2}, {1, 40}};
constexpr double kMegabytes = 40;

/// Devices with blocks of these parts of the model; of equal size if there are none.
std::vector<EdgeDevice> devices_of(const std::vector<Law>& laws, std::vector<double> parts = {}) {
  if (parts.empty())
    parts.assign(laws.size(), 1 / static_cast<double>(laws.size()));
  std::vector<EdgeDevice> devices;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const double megabytes = parts[i] * kMegabytes;
    devices.push_back({"device", Seconds{laws[i].work * megabytes}, Bytes{megabytes * 1e6},
                       BytesPerSecond{laws[i].rate * 1e6}, Seconds{laws[i].start}});
  }
  return devices;
}

void expect_joint(const std::vector<EdgeDevice>& devices, double time,
                  const std::vector<double>& shares, const std::vector<double>& parts) {
  const EdgeRound joint = joint_round(devices);
  EXPECT_NEAR(joint.time.value, time, 5e-7);
  Bytes model{}, placed{};
  for (const EdgeDevice& device : devices)
    model += device.size;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_NEAR(joint.devices[i].share, shares[i], 5e-7) << i;
    EXPECT_NEAR(joint.devices[i].block / model, parts[i], 5e-7) << i;
    placed += joint.devices[i].block;
  }
  EXPECT_NEAR(placed / model, 1, 1e-12);
}

// The time at which these shares have moved the whole model, by bisection.
double time_with(const std::vector<Law>& laws, const std::vector<double>& shares) {
  double low = 0, high = 1e6;
  for (int step = 0; step < 200; ++step) {
    const double time = (low + high) / 2;
    double megabytes = 0;
    for (std::size_t i = 0; i < laws.size(); ++i)
      if (shares[i] > 0 && time > laws[i].start)
        megabytes += (time - laws[i].start) / (laws[i].work + 1 / (shares[i] * laws[i].rate));
    (megabytes < kMegabytes ? low : high) = time;
  }
  return high;
}

TEST(JointRound, OfThreeDevicesIsTheKnownOptimum) {
  expect_joint(devices_of(kThree), 7.780936, {.413453, .388592, .197954},
               {.440232, .261686, .298082});
}

TEST(JointRound, LeavesOutADeviceForItsRateAlone) {
  // The fourth computes fastest and has the slowest channel.
  expect_joint(devices_of(kFive), 7.060747, {.399080, .343140, .192873, 0, .064908},
               {.391762, .213041, .267762, 0, .127436});
  EXPECT_EQ(joint_round(devices_of(kFive)).devices[3].round, Seconds{});
}

TEST(JointRound, CountsWhatADeviceTakesBeforeItsWork) {
  std::vector<Law> late = kThree;
  late[0].start = .5;
  late[1].start = .2;
  late[2].start = 1;
  expect_joint(devices_of(late), 8.347356, {.403761, .412059, .184181},
               {.438232, .288214, .273554});
}

TEST(JointRound, DoesNotDependOnTheBlocksGiven) {
  const EdgeRound even = joint_round(devices_of(kFive));
  const EdgeRound odd = joint_round(devices_of(kFive, {.6, .1, .1, .1, .1}));
  EXPECT_NEAR(odd.time.value, even.time.value, 1e-12);
}

TEST(JointRound, BeatsEveryPartialChoice) {
  const auto three = devices_of(kThree);
  EXPECT_NEAR(equal_round(three).time.value, 11.333333, 5e-7);
  EXPECT_NEAR(best_round(three).time.value, 8, 5e-7);
  EXPECT_NEAR(best_blocks_round(three).time.value, 8.008565, 5e-7);
  // Blocks as 1/a: 5, 10 and 2.5 of 17.5.
  EXPECT_NEAR(best_round(devices_of(kThree, {5 / 17.5, 10 / 17.5, 2.5 / 17.5})).time.value,
              9.428571, 5e-7);
  const auto five = devices_of(kFive);
  EXPECT_NEAR(equal_round(five).time.value, 20.4, 5e-7);
  EXPECT_NEAR(best_round(five).time.value, 9.337085, 5e-7);
  EXPECT_NEAR(best_blocks_round(five).time.value, 8.017929, 5e-7);
  // 5, 10, 2.5, 20 and 1 of 38.5.
  EXPECT_NEAR(best_round(devices_of(kFive, {5 / 38.5, 10 / 38.5, 2.5 / 38.5, 20 / 38.5, 1 / 38.5}))
                  .time.value,
              14.701299, 5e-7);
}

TEST(JointRound, OfTheExampleIsTheKnownOptimum) {
  // Phones with 20 MB each and a gateway with 60. With weights a R of 5, 12.5 and 4/3 the gateway
  // gets (mu sqrt 40 - 1) / (4/3) of the band, mu = 2.03 / (.75 sqrt 40 + 1.4).
  const std::vector<EdgeDevice> devices =
      read_edge_devices(std::string(STEPCAST_SOURCE_DIR) + "/tests/golden/data/edge-devices.csv");
  const double mu = 2.03 / (.75 * std::sqrt(40) + 1.4);
  expect_joint(devices, 6.518871, {mu - .2, 0, (5 * mu - 1) / 12.5, .75 * (mu * std::sqrt(40) - 1)},
               {.107218, 0, .042887, .849894});
  EXPECT_NEAR(best_round(devices).time.value, 12.637731, 5e-7);
  EXPECT_NEAR(best_round(with_equal_blocks(devices)).time.value, 18.252830, 5e-7);
  EXPECT_NEAR(best_blocks_round(devices).time.value, 9.380182, 5e-7);
  EXPECT_NEAR(equal_round(with_equal_blocks(devices)).time.value, 30, 5e-7);
}

TEST(JointRound, NoSharesOfAGridAreFaster) {
  std::vector<Law> late = kThree;
  late[2].start = 3;
  for (const std::vector<Law>& laws : {kThree, late}) {
    const double joint = joint_round(devices_of(laws)).time.value;
    constexpr int kSteps = 100;
    double least = 1e9;
    for (int a = 0; a <= kSteps; ++a)
      for (int b = 0; a + b <= kSteps; ++b)
        least = std::min(least, time_with(laws, {a / 100., b / 100., (kSteps - a - b) / 100.}));
    EXPECT_GE(least, joint - 1e-9);
    EXPECT_NEAR(least, joint, 1e-3 * joint);
  }
}

TEST(JointRound, NoBlocksAndSharesOfAGridAreFaster) {
  // Both chosen on a grid; the round is the slower of the two, by its definition.
  const std::vector<Law> laws{{.3, 10}, {.1, 5, .7}};
  double least = 1e9;
  constexpr int kSteps = 500;
  for (int x = 1; x < kSteps; ++x)
    for (int w = 1; w < kSteps; ++w) {
      double slowest = 0;
      for (int i = 0; i < 2; ++i) {
        const double block = kMegabytes * (i == 0 ? x : kSteps - x) / kSteps;
        const double share = static_cast<double>(i == 0 ? w : kSteps - w) / kSteps;
        slowest = std::max(slowest,
                           laws[i].start + laws[i].work * block + block / (share * laws[i].rate));
      }
      least = std::min(least, slowest);
    }
  const double joint = joint_round(devices_of(laws)).time.value;
  EXPECT_GE(least, joint - 1e-9);
  EXPECT_NEAR(least, joint, 5e-3 * joint);
}

TEST(JointRound, NoRandomSharesAreFaster) {
  std::mt19937_64 draw(7);
  std::exponential_distribution<double> positive(1);
  for (int job = 0; job < 50; ++job) {
    std::vector<Law> laws(6);
    for (Law& law : laws)
      law = {positive(draw), 20 * positive(draw), job % 2 == 0 ? 0 : positive(draw)};
    const EdgeRound joint = joint_round(devices_of(laws));
    for (const EdgeShare& each : joint.devices)
      EXPECT_NEAR(each.round.value, each.block > Bytes{} ? joint.time.value : 0, 1e-9);
    for (int trial = 0; trial < 300; ++trial) {
      // Near the optimum for half of the trials.
      std::vector<double> shares;
      double sum = 0;
      for (const EdgeShare& each : joint.devices) {
        shares.push_back((trial % 2 == 0 ? 0 : 20 * each.share) + positive(draw));
        sum += shares.back();
      }
      for (double& share : shares)
        share /= sum;
      EXPECT_GE(time_with(laws, shares), joint.time.value * (1 - 1e-12));
    }
  }
}

TEST(JointRound, WithoutComputeGivesAllToTheBestChannel) {
  const EdgeRound joint = joint_round(devices_of({{0, 10}, {0, 4}, {0, 20}}));
  EXPECT_NEAR(joint.time.value, 2, 1e-12);  // 40 MB at 20 MB/s
  EXPECT_EQ(joint.devices[2].share, 1);
  EXPECT_EQ(joint.devices[0].block, Bytes{});
  // Beside one that computes, whose channel is better: 40 / (1 + 1/w) and what is left at 10 MB/s.
  const std::vector<Law> laws{{1, 40}, {0, 10}};
  const EdgeRound mixed = joint_round(devices_of(laws));
  double least = 1e9;
  for (int w = 0; w <= 1000; ++w)
    least = std::min(least, time_with(laws, {w / 1000., 1 - w / 1000.}));
  EXPECT_NEAR(mixed.time.value, least, 1e-5 * least);
  EXPECT_GE(least, mixed.time.value - 1e-12);
}

TEST(JointRound, OfFastChannelsCutsTheModelBySpeed) {
  const EdgeRound joint = joint_round(devices_of({{.2, 1e7}, {.1, 1e7}}));
  EXPECT_NEAR(joint.devices[1].block / joint.devices[0].block, 2, 1e-3);
}

TEST(JointRound, KeepsTheWorkOfADeviceThatSendsNothing) {
  std::vector<EdgeDevice> devices = devices_of(kThree);
  devices.push_back({"sensor", Seconds{9}, Bytes{}, BytesPerSecond{1e6}});
  EXPECT_EQ(joint_round(devices).time, Seconds{9});
  EXPECT_NEAR(joint_round(devices).devices[0].round.value, 7.780936, 5e-7);
  EXPECT_EQ(joint_round({devices.back()}).time, Seconds{9});
  EXPECT_EQ(with_equal_blocks(devices)[3].size, Bytes{});
}

TEST(JointRound, OfExtremesIsANumber) {
  for (const double work : {0., 1e-20, 1e9})
    for (const double rate : {1e-9, 1., 1e17}) {
      const EdgeRound joint = joint_round(devices_of({{work, rate}, {1, 1}, {1e-9, 1e3}}));
      double sum = 0;
      for (const EdgeShare& each : joint.devices) {
        EXPECT_TRUE(std::isfinite(each.round.value));
        sum += each.share;
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_LE(joint.time,
                best_blocks_round(devices_of({{work, rate}, {1, 1}, {1e-9, 1e3}})).time);
    }
}

}  // namespace
}  // namespace stepcast
