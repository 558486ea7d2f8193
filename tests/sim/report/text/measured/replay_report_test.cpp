#include "sim/report/text/measured/replay_report.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

ReplayedTrace replayed(Seconds simulated, const Cycles& cycles = {}) {
  ReplayedTrace result{.origin = "t.json"};
  result.steps.push_back({.name = "step", .recorded = Seconds{1}, .simulated = simulated});
  result.cycles = cycles;
  return result;
}

bool says(const ReplayedTrace& result, const std::string& part) {
  return render_replay(result).find(part) != std::string::npos;
}

TEST(ReplayReport, TheLargestCycleBoundsTheStep) {
  EXPECT_TRUE(says(replayed(Seconds{1}, {.host = Seconds{0.95}, .device = Seconds{0.5}}),
                   "Bound by the host: 950 ms a step for it alone"));
  EXPECT_TRUE(
      says(replayed(Seconds{1},
                    {.host = Seconds{0.9}, .device = Seconds{1}, .computation = Seconds{0.4}}),
           "Bound by the device: 1 s a step for computation and collectives that wait for "
           "each other"));
  EXPECT_TRUE(says(
      replayed(Seconds{1}, {.host = Seconds{0.9}, .device = Seconds{1}, .computation = Seconds{1}}),
      "Bound by the device: 1 s a step for its streams"));
  EXPECT_TRUE(says(replayed(Seconds{1}, {.host = Seconds{0.6}, .device = Seconds{0.5}}),
                   "Bound by host and device in turn"));
}

TEST(ReplayReport, AReplayThatMissesItsRecordingIsDoubtedAndThenRefused) {
  refuse_missed_recording(replayed(Seconds{1.04}));
  EXPECT_FALSE(says(replayed(Seconds{1.04}), "Doubtful"));
  refuse_missed_recording(replayed(Seconds{0.93}));
  EXPECT_EQ(render_replay(replayed(Seconds{0.93})).find("Doubtful: the replay takes 930 ms"), 0U);
  EXPECT_EQ(input_error_of([] { refuse_missed_recording(replayed(Seconds{0.88})); }),
            "t.json: the replay takes 880 ms for a recorded step of 1 s (-12.0 %): more than 10 % "
            "off, so that nothing can be said of changes");
}

TEST(ReplayReport, WorkThatStartsFarFromItsRecordIsRefused) {
  ReplayedTrace result = replayed(Seconds{1});
  result.start_deviation = Seconds{0.07};
  EXPECT_EQ(render_replay(result).find("Doubtful: device work starts 70 ms (median)"), 0U);
  result.start_deviation = Seconds{0.11};
  EXPECT_EQ(input_error_of([&] { refuse_missed_recording(result); }),
            "t.json: replayed device work starts 110 ms (median) from when it was recorded to, "
            "more than 10 % of the step of 1 s, so that nothing can be said of changes");
}

TEST(ReplayReport, DelaysThatNothingExplainsAreDoubted) {
  ReplayedTrace result = replayed(Seconds{1});
  result.delays = Seconds{0.3};
  EXPECT_EQ(render_replay(result).find("Doubtful: 300 ms of the step of 1 s are delays"), 0U);
}

TEST(ReplayReport, OnlyTheMeanTellsWhatAChangeDoes) {
  ReplayedTrace result = replayed(Seconds{1});
  result.change = "a change";
  result.changed = Seconds{1};
  const std::string json = replay_json(result);
  EXPECT_EQ(json.find("changed_s"), json.rfind("changed_s"));
  EXPECT_GT(json.find("changed_s"), json.find("\"mean\""));
}

}  // namespace
}  // namespace stepcast
