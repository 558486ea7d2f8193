#include "sim/asynchronous/hop.hpp"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include "models/base/error.hpp"
#include "sim/asynchronous/recursion.hpp"
#include "tests/sim/asynchronous/protocol_jobs.hpp"

namespace stepcast {
namespace {

HopOptions on(Topology topology) {
  return {.graph = make_peer_graph(16, {.topology = topology})};
}

struct Golden {
  Topology topology;
  double standard;
  double backup;  // 1, max_gap 5
  double stale;   // 5, max_gap 5
};

// Simulated by hand for the description of the protocol: 200 seeds of 200 iterations.
constexpr Golden kGolden[] = {{Topology::Ring, 2.14, 1.59, 1.57},
                              {Topology::RingBased, 2.32, 1.70, 1.60},
                              {Topology::DoubleRing, 2.43, 1.81, 1.62}};

TEST(Hop, MakespansAreThePublishedProtocolsWithinAPercent) {
  for (const Golden& golden : kGolden) {
    HopOptions options = on(golden.topology);
    const auto mean = [&] {
      return mean_over_seeds(hop_job(), 200,
                             [&](const ProtocolJob& job) { return run_hop(job, options); });
    };
    EXPECT_NEAR(mean(), golden.standard, 0.01 * golden.standard);
    options.max_gap = 5;
    options.backup = 1;
    EXPECT_NEAR(mean(), golden.backup, 0.01 * golden.backup);
    options.backup = 0;
    options.staleness = 5;
    EXPECT_NEAR(mean(), golden.stale, 0.01 * golden.stale);
  }
}

TEST(Hop, TheRecursionGivesTheTimesOfTheEvents) {
  for (const Golden& golden : kGolden)
    for (const std::uint32_t backup : {0U, 1U})
      for (const std::uint32_t staleness : {0U, 2U}) {
        if (backup > 0 && staleness > 0)
          continue;
        const HopOptions options{.graph = on(golden.topology).graph,
                                 .max_gap = 3,
                                 .backup = backup,
                                 .staleness = staleness};
        const Recursion recursion{
            .graph = options.graph, .delay = staleness, .backup = backup, .max_gap = 3};
        ProtocolJob job = hop_job(50);
        job.slow_down.laws.emplace_back(SlowDown::LogNormal{.sigma = 0.2});
        job.reduce = Seconds{0.03};
        job.traffic.occupancy = [=](std::uint32_t, Rank from) {
          return Occupancy{from, Seconds{staleness * 0.6}};
        };
        const std::vector<Seconds> times = recursion_times(job, recursion, 0, 20);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          job.slow_down.seed = seed;
          EXPECT_NEAR(run_hop(job, options).iteration_time() / times[seed], 1, 1e-9);
        }
      }
}

// A rank has 32 bits. All compute 1 s, and messages of .1 s hide.
TEST(Hop, MoreThanSixtyFourThousandWorkersGoOnLikeAFew) {
  ProtocolJob job = hop_job(2);
  job.workers = 65'540;
  job.slow_down.laws.clear();
  const HopOptions options{.graph = make_peer_graph(job.workers, {.topology = Topology::RingBased}),
                           .max_gap = 5};
  EXPECT_NEAR(run_hop(job, options).iteration_time().value, 1, 1e-9);
}

// Neighbours wait for the one that is always 4 times slower; only skipping helps.
TEST(Hop, OnlySkippingHelpsAgainstOneThatIsAlwaysSlow) {
  ProtocolJob job = hop_job();
  job.slow_down.laws = {SlowDown::Fixed{.rank = 3, .factor = 4}};
  for (const Golden& golden : kGolden) {
    HopOptions options = on(golden.topology);
    EXPECT_NEAR(run_hop(job, options).iteration_time().value, 4, 0.01);
    options.max_gap = 5;
    options.backup = 1;
    EXPECT_NEAR(run_hop(job, options).iteration_time().value, 4, 0.15);  // 5 iterations of 200
    options.max_skip = 10;
    options.skip_trigger = 5;
    EXPECT_LT(run_hop(job, options).iteration_time().value, 1.5);
  }
}

// Token counts, queue sizes and gaps are asserted after every event.
TEST(Hop, InvariantsHoldInAMillionEvents) {
  std::uint64_t events = 0;
  for (const Golden& golden : kGolden)
    for (const HopOptions& base :
         {HopOptions{}, HopOptions{.max_gap = 2}, HopOptions{.max_gap = 5, .backup = 1},
          HopOptions{.max_gap = 4, .staleness = 3}, HopOptions{.staleness = 2},
          HopOptions{.max_gap = 3, .backup = 1, .max_skip = 4, .skip_trigger = 3}}) {
      HopOptions options = base;
      options.graph = on(golden.topology).graph;
      ProtocolJob job = hop_job(900);
      job.checked = true;
      events += run_hop(job, options).events;
    }
  EXPECT_GT(events, 1'000'000U);
}

TEST(Hop, SettingsThatCannotBeAreToldInALine) {
  const auto error_of = [](const HopOptions& options) {
    try {
      check_hop(options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  HopOptions options = on(Topology::Ring);
  options.max_gap = 5;
  options.backup = 2;
  EXPECT_EQ(error_of(options), "backup: expected fewer than the 2 neighbours of a worker, found 2");
  options.backup = 1;
  options.max_gap = 0;
  EXPECT_NE(error_of(options).find("needs tokens"), std::string::npos);
  options.backup = 0;
  options.max_skip = 2;
  EXPECT_NE(error_of(options).find("needs tokens"), std::string::npos);
}

// The same protocol once more, with SimGrid's actors and semaphores: a token queue is a semaphore
// that its taker acquires, an update one that its message releases.
class HopOfActors {
 public:
  HopOfActors(const ProtocolJob& job, const HopOptions& options) : job_(job), options_(options) {
    const std::uint32_t n = job.workers;
    for (Rank i = 0; i < n; ++i) {
      for (std::uint32_t k = 0; k < job.iterations; ++k)
        updates_.push_back(simgrid::s4u::Semaphore::create(0));
      for (Rank j = 0; j < n; ++j)
        tokens_.push_back(simgrid::s4u::Semaphore::create(options.max_gap));
    }
  }

  // From 4.0 on a zone lies in the root zone that every engine has; before, the first is the root.
  template <class Engine>
  static auto* full_zone(Engine* engine) {
    if constexpr (requires { engine->get_netzone_root()->add_netzone_full("zone"); })
      return engine->get_netzone_root()->add_netzone_full("zone");
    else
      return simgrid::s4u::create_full_zone("zone");
  }

  double run() {
    auto* zone = full_zone(simgrid::s4u::Engine::get_instance());
    auto* host = zone->create_host("host", 1e9);
    zone->seal();
    for (Rank i = 0; i < job_.workers; ++i)
      simgrid::s4u::Actor::create("worker", host, [this, i, host] { work(i, host); });
    simgrid::s4u::Engine::get_instance()->run();
    return simgrid::s4u::Engine::get_clock() / job_.iterations;
  }

 private:
  void work(Rank i, simgrid::s4u::Host* host) {
    const auto& graph = options_.graph;
    for (std::uint32_t k = 0; k < job_.iterations; ++k) {
      if (k > 0) {
        for (const Rank j : graph.to[0][i])
          tokens_[j * job_.workers + i]->acquire();
        for (const Rank m : graph.from[0][i])
          tokens_[i * job_.workers + m]->release();
      }
      for (const Rank to : graph.to[0][i])
        simgrid::s4u::Actor::create("message", host, [this, to, k] {
          simgrid::s4u::this_actor::sleep_for(0.1);
          updates_[to * job_.iterations + k]->release();
        });
      simgrid::s4u::this_actor::sleep_for(job_.compute.value * job_.slow_down.factor(i, k));
      for (std::size_t n = options_.backup; n < graph.from[0][i].size(); ++n)
        updates_[i * job_.iterations + k]->acquire();
    }
    last_ = simgrid::s4u::Engine::get_clock();
  }

 public:
  double last() const { return last_ / job_.iterations; }

 private:
  const ProtocolJob& job_;
  const HopOptions& options_;
  std::vector<simgrid::s4u::SemaphorePtr> updates_;  // by worker and iteration
  std::vector<simgrid::s4u::SemaphorePtr> tokens_;   // by queue (j -> i)
  double last_ = 0;
};

TEST(Hop, ActorsOfSimGridGiveTheSameTimes) {
  int count = 1;
  char name[] = "test";
  char* arguments[] = {name, nullptr};
  const simgrid::s4u::Engine engine(&count, arguments);
  const HopOptions options{.graph = on(Topology::RingBased).graph, .max_gap = 3, .backup = 1};
  ProtocolJob job = hop_job(40);
  job.slow_down.seed = 11;
  HopOfActors actors(job, options);
  actors.run();
  EXPECT_NEAR(actors.last(), run_hop(job, options).iteration_time().value, 1e-9);
}

}  // namespace
}  // namespace stepcast
