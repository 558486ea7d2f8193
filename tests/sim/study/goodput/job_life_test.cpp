#include "sim/study/goodput/job_life.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// One fault of a held node at 1000 s of 2000 s: interval 300, checkpoint 10, restart 50. Three
// segments of 310 s are done by 930 s; 70 s are lost; 950 s are left for 3 segments and 20 s.
TEST(JobLife, AFaultGoesBackToTheLastCheckpoint) {
  const LifeOptions options{.nodes = 2,
                            .spares = 1,
                            .interval = Seconds{300},
                            .costs = {Seconds{10}, Seconds{50}},
                            .length = Seconds{2000}};
  const JobLife life = live(options, {{0, Seconds{1000}, Seconds{5000}}});
  EXPECT_EQ(life.faults, 1U);
  EXPECT_NEAR(life.lost * 2000, 70, 1e-9);
  EXPECT_NEAR(life.restarting * 2000, 50, 1e-9);
  EXPECT_NEAR(life.efficiency * 2000, 900 + 900 + 20, 1e-9);
}

// Without a spare it waits from 1000 s to 1400 s, or goes on at half speed, in segments of 610 s,
// of which none ends until the node is back.
TEST(JobLife, WithoutASpareItWaitsOrShrinks) {
  LifeOptions options{
      .nodes = 2,
      .interval = Seconds{300},
      .costs = {.checkpoint = Seconds{10}, .restart = Seconds{50}, .reconfigure = Seconds{50}},
      .length = Seconds{2000}};
  const std::vector<Outage> outages{{0, Seconds{1000}, Seconds{1400}}};
  const JobLife waits = live(options, outages);
  EXPECT_NEAR(waits.waiting * 2000, 400, 1e-9);
  EXPECT_NEAR(waits.efficiency * 2000, 900 + 300 + 240, 1e-9);
  options.policy = LossPolicy::Shrink;
  const JobLife shrinks = live(options, outages);
  EXPECT_EQ(shrinks.waiting, 0);
  EXPECT_NEAR(shrinks.efficiency * 2000, 900 + 350 / 2.0 + 300 + 240, 1e-9);
}

TEST(JobLife, ASpareThatFailsIsNotTaken) {
  const LifeOptions options{
      .nodes = 1, .spares = 1, .interval = Seconds{1e9}, .length = Seconds{100}};
  const JobLife life =
      live(options, {{1, Seconds{10}, Seconds{90}}, {0, Seconds{20}, Seconds{80}}});
  EXPECT_NEAR(life.waiting * 100, 60, 1e-9);
  EXPECT_EQ(life.faults, 1U);
}

// As above with one fault at 1000 s, of node 0 until 1400 s and with a free spare.
TEST(JobLife, PoliciesPayWhatTheyDo) {
  LifeOptions options{
      .nodes = 2,
      .spares = 1,
      .interval = Seconds{300},
      .costs = {.checkpoint = Seconds{10}, .restart = Seconds{50}, .reconfigure = Seconds{20}},
      .length = Seconds{2000}};
  const std::vector<Outage> outages{{0, Seconds{1000}, Seconds{1400}}};
  const auto done = [&](LossPolicy policy) {
    options.policy = policy;
    return live(options, outages).efficiency * 2000;
  };
  // 3 segments until 930 s; from 1050 s on 950 s: 3 more and 20 s.
  EXPECT_NEAR(done(LossPolicy::Restart), 1820, 1e-9);
  EXPECT_NEAR(done(LossPolicy::Redo), 1820, 1e-9);
  // Waits until 1400 s and restarts, the spare or no: 550 s are a segment and 240 s.
  EXPECT_NEAR(done(LossPolicy::Wait), 900 + 300 + 240, 1e-9);
  // Nothing is lost but 20 s; the spare is there: 70 + 980 s are 3 segments and 120 s.
  EXPECT_NEAR(done(LossPolicy::Drop), 900 + 900 + 120, 1e-9);
  EXPECT_EQ(live(options, outages).lost, 0);
}

// Without a spare half the speed from 1020 s to 1400 s: 190 s of work on top of 70 s; then 20 s to
// take the node in, and 580 s: 40 s to the checkpoint, 10 s, and 530 s: a segment and 220 s.
TEST(JobLife, ADroppedReplicaIsMissedOnlyInSpeed) {
  const LifeOptions options{.nodes = 2,
                            .interval = Seconds{300},
                            .costs = {.checkpoint = Seconds{10}, .reconfigure = Seconds{20}},
                            .policy = LossPolicy::Drop,
                            .length = Seconds{2000}};
  const JobLife life = live(options, {{0, Seconds{1000}, Seconds{1400}}});
  EXPECT_NEAR(life.efficiency * 2000, 900 + 70 + 190 + 40 + 300 + 220, 1e-9);
  EXPECT_NEAR(life.slowed * 2000, 190, 1e-9);
  EXPECT_NEAR(life.efficiency + life.checkpoints + life.lost + life.restarting + life.slowed, 1,
              1e-12);
}

// A checkpoint at 310 s is stored at 410 s: a fault at 350 s goes back to the start, one at 450 s
// to the checkpoint.
TEST(JobLife, ACheckpointThatIsNotYetStoredDoesNotHelp) {
  LifeOptions options{.nodes = 1,
                      .interval = Seconds{300},
                      .costs = {.checkpoint = Seconds{10}, .persist = Seconds{100}},
                      .policy = LossPolicy::Redo,
                      .length = Seconds{500}};
  const JobLife early = live(options, {{0, Seconds{350}, Seconds{350}}});
  EXPECT_NEAR(early.lost * 500, 300 + 40, 1e-9);
  EXPECT_NEAR(early.efficiency * 500, 150, 1e-9);
  const JobLife late = live(options, {{0, Seconds{450}, Seconds{450}}});
  EXPECT_NEAR(late.lost * 500, 140, 1e-9);
  EXPECT_NEAR(late.efficiency * 500, 300 + 50, 1e-9);
}

// Half the bandwidth makes this job a fifth slower, from 100 s to 600 s; nothing restarts.
TEST(JobLife, ASlowLinkSlowsTheJobAndStopsItNot) {
  const LifeOptions options{
      .nodes = 2,
      .interval = Seconds{1e6},
      .length = Seconds{1000},
      .speed = [](std::uint32_t, double share) { return share < 1 ? 0.8 : 1.0; }};
  const JobLife life = live(options, {{1, Seconds{100}, Seconds{600}, 0.5}});
  EXPECT_NEAR(life.efficiency * 1000, 900, 1e-9);
  EXPECT_NEAR(life.slowed * 1000, 100, 1e-9);
  EXPECT_EQ(life.faults, 0U);
}

}  // namespace
}  // namespace stepcast
