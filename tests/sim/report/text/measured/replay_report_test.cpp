#include "sim/report/text/measured/replay_report.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// A change that changes nothing about a step of 1 s.
ReplayedTrace unchanged(Seconds host, Seconds busiest) {
  ReplayedTrace result{.origin = "t.json", .change = "a change"};
  result.steps.push_back({.name = "step", .recorded = Seconds{1}, .simulated = Seconds{1}});
  result.sustained = {.time = std::max(Seconds{1}, busiest), .host = host, .busiest = busiest};
  result.changed = result.sustained;
  return result;
}

bool says(const ReplayedTrace& result, const std::string& part) {
  return render_replay(result).find(part) != std::string::npos;
}

TEST(ReplayReport, TheBusierOfHostAndDeviceHidesAChange) {
  const ReplayedTrace host = unchanged(Seconds{0.9}, Seconds{0.5});
  EXPECT_TRUE(says(host, "Bound by the host: its threads are busy for 90 %"));
  const ReplayedTrace device = unchanged(Seconds{0.9}, Seconds{0.95});
  EXPECT_FALSE(says(device, "Bound by the host"));
  EXPECT_TRUE(says(device, "Bound by the device: its busiest stream is busy for 95 %"));
  EXPECT_FALSE(says(unchanged(Seconds{0.5}, Seconds{0.6}), "Bound by"));
}

TEST(ReplayReport, AHostThatRanAheadOfItsDeviceIsNoted) {
  EXPECT_TRUE(says(unchanged(Seconds{0.9}, Seconds{2}), "a stream has 2 s to do in a step"));
  EXPECT_FALSE(says(unchanged(Seconds{0.9}, Seconds{1}), "ran ahead"));
}

TEST(ReplayReport, OnlyTheMeanTellsWhatAChangeDoes) {
  // A step may leave its work to the next: one alone tells nothing.
  const std::string json = replay_json(unchanged(Seconds{1}, Seconds{1}));
  EXPECT_EQ(json.find("changed_s"), json.rfind("changed_s"));
  EXPECT_GT(json.find("changed_s"), json.find("\"mean\""));
}

}  // namespace
}  // namespace stepcast
