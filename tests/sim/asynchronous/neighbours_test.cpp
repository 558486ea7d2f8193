#include "sim/asynchronous/neighbours.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/asynchronous/parameter_server.hpp"
#include "sim/asynchronous/period.hpp"
#include "sim/asynchronous/recursion.hpp"
#include "tests/sim/asynchronous/protocol_jobs.hpp"

namespace stepcast {
namespace {

constexpr Topology kAll[] = {Topology::Ring,        Topology::RingBased, Topology::DoubleRing,
                             Topology::Exponential, Topology::OnePeer,   Topology::InnerOuter,
                             Topology::Torus,       Topology::Random,    Topology::Star,
                             Topology::Complete};

TEST(Neighbours, TheRecursionGivesTheTimesOfTheEventsOnEveryGraph) {
  for (const Topology topology : kAll)
    for (const SendTime send : {SendTime::Beside, SendTime::AfterForward, SendTime::Behind})
      for (const std::uint32_t delay : {0U, 1U}) {
        const NeighbourOptions options{
            .graph = make_peer_graph(16, {.topology = topology, .per_node = 4}),
            .send = send,
            .delay = delay};
        ProtocolJob job = hop_job(40);
        job.forward_share = 0.4;
        job.checked = true;
        job.slow_down.seed = 3;
        const Recursion recursion{.graph = options.graph, .send = send, .delay = delay};
        for (const double occupancy : {0.0, 0.1, 1.5}) {
          job.traffic.occupancy = [=](std::uint32_t, Rank from) {
            return Occupancy{from, Seconds{occupancy}};
          };
          EXPECT_NEAR(run_neighbours(job, options).iteration_time() /
                          recursion_times(job, recursion, 3, 1).front(),
                      1, 1e-9)
              << static_cast<int>(topology) << static_cast<int>(send) << delay << occupancy;
        }
      }
}

// Every link carries one model an iteration, which takes it .2 s, and .1 s are computed: however
// many iterations a model may be under way, an iteration takes .2 s once the links are the
// bottleneck. Without occupancy it would be .2 s / (delay + 1).
TEST(Neighbours, ALinkCarriesNoMoreThanItsBandwidthHoweverLongAModelMayBeUnderWay) {
  ProtocolJob job = hop_job();
  job.slow_down.laws.clear();
  job.compute = Seconds{0.1};
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.21}; };
  job.traffic.occupancy = [](std::uint32_t, Rank from) { return Occupancy{from, Seconds{0.2}}; };
  const PeerGraph ring = make_peer_graph(16, {});
  for (const std::uint32_t delay : {0U, 1U, 2U, 3U, 30U}) {
    const NeighbourOptions options{.graph = ring, .delay = delay};
    const CountedRun steady = steady_run(
        job, {.memory = delay + 1},
        [&](const ProtocolJob& each) { return run_neighbours(each, options); }, RunLength{});
    EXPECT_TRUE(steady.steady) << delay;
    EXPECT_NEAR(steady.run.iteration_time().value, delay == 0 ? 0.21 : 0.2, 1e-9) << delay;
  }
}

// An iteration computes .199 s and fills its link for .2 s, so that .199 (k + 6) exceeds
// .2 (k + 1), when message k of 5 under way is waited for, only from k = 995 on. Until then
// iterations of .199 s repeat, but are no steady state.
TEST(Neighbours, IterationsWhoseMessagesPileUpAreNoSteadyState) {
  ProtocolJob job = hop_job();
  job.slow_down.laws.clear();
  job.compute = Seconds{0.199};
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.2}; };
  job.traffic.occupancy = [](std::uint32_t, Rank from) { return Occupancy{from, Seconds{0.2}}; };
  const NeighbourOptions options{.graph = make_peer_graph(16, {}), .delay = 5};
  const CountedRun steady = steady_run(
      job, {.memory = 6}, [&](const ProtocolJob& each) { return run_neighbours(each, options); },
      RunLength{});
  EXPECT_TRUE(steady.steady);
  EXPECT_NEAR(steady.run.iteration_time().value, 0.2, 1e-9);
}

// All send in .1 s beside 1 s of compute, or behind it; what takes .8 s from behind a forward pass
// of .36 s on ends .16 s later than the gradient.
TEST(Neighbours, AMessageBesideTheGradientIsHidden) {
  ProtocolJob job = hop_job(10);
  job.slow_down.laws.clear();
  const PeerGraph ring = make_peer_graph(16, {});
  EXPECT_NEAR(run_neighbours(job, {.graph = ring}).iteration_time().value, 1, 1e-12);
  EXPECT_NEAR(run_neighbours(job, {.graph = ring, .send = SendTime::Behind}).iteration_time().value,
              1.1, 1e-12);
  job.forward_share = 0.36;
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.8}; };
  EXPECT_NEAR(
      run_neighbours(job, {.graph = ring, .send = SendTime::AfterForward}).iteration_time().value,
      1.16, 1e-12);
}

TEST(Neighbours, NobodyRunsAwayInAMillionEvents) {
  std::uint64_t events = 0;
  for (const Topology topology : kAll) {
    ProtocolJob job = hop_job(2000);
    job.checked = true;
    events += run_neighbours(job, {.graph = make_peer_graph(16, {.topology = topology})}).events;
  }
  EXPECT_GT(events, 1'000'000U);
}

// Everyone waits for all of iteration k - slack: 1 + .1 without chance, and with slack 0 the
// slowest counts.
TEST(ParameterServer, SlackIsTheMostThatAnyoneIsAhead) {
  ProtocolJob job = hop_job(2000);
  job.checked = true;
  double last = 1e9;
  std::uint64_t events = 0;
  for (const std::uint32_t slack : {0U, 1U, 4U}) {
    const ProtocolRun run = run_parameter_server(job, {.slack = slack, .transfer = Seconds{0.05}});
    EXPECT_LT(run.iteration_time().value, last);
    EXPECT_LE(run.gaps.size(), slack + 2);
    last = run.iteration_time().value;
    events += run.events;
  }
  EXPECT_GT(events, 100'000U);
  job.slow_down.laws = {SlowDown::Fixed{.rank = 2, .factor = 3}};
  EXPECT_NEAR(
      run_parameter_server(job, {.slack = 0, .transfer = Seconds{0.05}}).iteration_time().value,
      3.1, 1e-9);
}

// min(sum of 1 / (g + 2 transfer), 1 / service): 16 / 1.1, or 5 a second.
TEST(ParameterServer, AsynchronousThroughputIsBoundByWorkersOrServers) {
  ProtocolJob job = hop_job(200);
  job.slow_down.laws.clear();
  const auto rate = [&](Seconds service) {
    return 16 / run_parameter_server(job, {.rule = ServerRule::Asynchronous,
                                           .transfer = Seconds{0.05},
                                           .service = service})
                    .iteration_time()
                    .value;
  };
  EXPECT_NEAR(rate({}), 16 / 1.1, 0.02);
  EXPECT_NEAR(rate(Seconds{0.2}), 5, 0.05);
}

// Alike workers: between a pull and its push all others push once.
TEST(ParameterServer, StalenessIsTheNumberOfOthers) {
  ProtocolJob job = hop_job(200);
  job.slow_down.laws = {SlowDown::LogNormal{.sigma = 0.1}};
  const ProtocolRun run =
      run_parameter_server(job, {.rule = ServerRule::Asynchronous, .transfer = Seconds{0.001}});
  double sum = 0, count = 0;
  for (std::size_t age = 0; age < run.staleness.size(); ++age) {
    sum += static_cast<double>(age * run.staleness[age]);
    count += static_cast<double>(run.staleness[age]);
  }
  EXPECT_NEAR(sum / count, 15, 0.2);
}

TEST(ParameterServer, BackupWorkersLeaveTheSlowestOut) {
  ProtocolJob job = hop_job(100);
  job.slow_down.laws = {SlowDown::Fixed{.rank = 2, .factor = 3}};
  const ServerOptions options{.rule = ServerRule::Backup, .backup = 1};
  EXPECT_NEAR(run_parameter_server(job, options).iteration_time().value, 1, 1e-9);
  EXPECT_THROW(run_parameter_server(job, {.rule = ServerRule::Backup, .backup = 16}), InputError);
}

Actor waits_for_ever(World& world, Rank worker) {
  co_await world.wait(worker, Cause::Token);
}

TEST(World, ADeadlockNamesThreeWorkersAndCountsTheOthers) {
  ProtocolJob job = hop_job(1);
  job.workers = 10'000;
  World world(job);
  try {
    world.run([&](Rank i) { return waits_for_ever(world, i); },
              [&] { return world.deadlock("made up", [](Rank) { return std::string("for 1"); }); });
    FAIL() << "no deadlock";
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(),
                 "made up: deadlock: worker 0 waits for 1, worker 1 waits for 1, worker 2 waits "
                 "for 1, and so do 9997 others");
  }
}

TEST(World, AWorkerMoreLeavesTheDrawsOfTheOthersAlone) {
  ProtocolJob job = hop_job(50);
  const auto first_time = [](const ProtocolJob& of) {
    return compute_time(of, of.slow_down, 3, 7);
  };
  const Seconds before = first_time(job);
  job.workers = 17;
  EXPECT_EQ(first_time(job), before);
}

}  // namespace
}  // namespace stepcast
