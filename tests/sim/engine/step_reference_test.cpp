// Every message on the engine's own links, against SimGrid's flows.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/collective/links.hpp"
#include "sim/engine/network/fair_links.hpp"
#include "sim/engine/network/simgrid_wire.hpp"
#include "sim/engine/network/step_backend.hpp"
#include "sim/engine/process/simulation_process.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using namespace literals;

struct Launched {
  Collective collective;
  std::vector<Rank> ranks;
  Seconds at{};
};

struct Ports {
  Seconds at{};
  std::vector<Rank> ranks;
  double share = 1;
};

std::vector<double> ends_on(EventQueue& queue, std::unique_ptr<Wire> wire, const Cluster& cluster,
                            const std::vector<Launched>& launches,
                            const std::vector<Ports>& ports) {
  StepBackend backend(cluster, queue, std::move(wire));
  std::vector<Team> teams;
  for (const Launched& launch : launches)
    teams.push_back({.groups = {Group{launch.ranks}}});
  const std::vector<std::uint32_t> first{0};
  std::vector<double> ends(launches.size(), -1);
  const auto start = [&](std::size_t i) {
    backend.start(launches[i].collective, {.team = &teams[i], .groups = first}, {},
                  [&, i] { ends[i] = queue.now().value; });
  };
  for (std::size_t i = 0; i < launches.size(); ++i)
    queue.at(launches[i].at, [&start, i] { start(i); });
  for (const Ports& slow : ports)
    queue.at(slow.at, [&] { backend.set_ports(slow.ranks, slow.share); });
  queue.run();
  return ends;
}

void expect_equal(const Cluster& cluster, const std::vector<Launched>& launches, double tolerance,
                  const std::vector<Ports>& ports = {}) {
  EventQueue own;
  const auto ends =
      ends_on(own, std::make_unique<FairLinks>(cluster, own), cluster, launches, ports);
  const auto expected = simulate_alone([&] {
    EventQueue outer;
    return ends_on(outer, std::make_unique<SimGridWire>(cluster, outer), cluster, launches, ports);
  });
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ASSERT_GT(expected[i], 0);
    EXPECT_NEAR(ends[i] / expected[i], 1, tolerance)
        << i << ": " << name_of(launches[i].collective.kind) << ' '
        << name_of(launches[i].collective.algorithm) << " of " << launches[i].collective.size.value
        << " B on " << launches[i].ranks.size() << " ranks";
  }
}

std::vector<Rank> first_ranks(std::uint32_t count) {
  return Group{world_of(plain_cluster(count, 1))}.ranks;
}

Cluster racks(std::uint32_t nodes, std::uint32_t gpus) {
  Cluster cluster = plain_cluster(nodes, gpus);
  cluster.rack = RackLevel{.nodes = 2, .oversubscription = 3, .startup = 1.0_us};
  return cluster;
}

std::vector<Collective> every_collective(double bytes) {
  std::vector<Collective> all;
  for (const CollectiveKind kind : all_collective_kinds())
    for (const Algorithm algorithm : all_algorithms())
      if (kind != CollectiveKind::Send && supports(algorithm, kind))
        all.push_back({.kind = kind, .algorithm = algorithm, .size = Bytes{bytes}});
  return all;
}

TEST(StepReference, EveryAlgorithmIsAsOnSimGridWhereNoLinkIsShared) {
  const Cluster cluster = plain_cluster(8, 1);
  for (const Collective& collective : every_collective(3e6))
    expect_equal(cluster, {{.collective = collective, .ranks = first_ranks(8)}}, 1e-9);
}

TEST(StepReference, EveryAlgorithmIsAsOnSimGridWhereNodesAndRacksShareLinks) {
  for (const Cluster& cluster : {plain_cluster(4, 4), racks(8, 2)})
    for (const Collective& collective : every_collective(3e6))
      expect_equal(cluster, {{.collective = collective, .ranks = first_ranks(16)}}, 1e-6);
}

TEST(StepReference, CollectivesOfRandomGroupsThatMeetAreAsOnSimGrid) {
  std::mt19937 random(7);
  const auto upto = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(random() % most) + 1;
  };
  const std::vector<Collective> all = every_collective(1);
  for (int made = 0; made < 60; ++made) {
    const Cluster cluster = made % 2 == 0 ? plain_cluster(4, 4) : racks(8, 2);
    std::vector<Launched> launches;
    for (std::uint32_t i = upto(4); i > 0; --i) {
      std::vector<Rank> nodes = first_ranks(cluster.nodes);
      std::shuffle(nodes.begin(), nodes.end(), random);
      nodes.resize(1 + upto(3));
      std::vector<Rank> ranks;  // some algorithms want as many on every node
      for (const Rank node : nodes)
        for (Rank gpu = 0; gpu < cluster.gpus_per_node; ++gpu)
          ranks.push_back(node * cluster.gpus_per_node + gpu);
      Collective collective = all[random() % all.size()];
      collective.size = Bytes{1e4 * upto(1000)};
      collective.root = upto(static_cast<std::uint32_t>(ranks.size())) - 1;
      launches.push_back({collective, ranks, Seconds{1e-5 * upto(100)}});
    }
    expect_equal(cluster, launches, 0.02);
  }
}

TEST(StepReference, SlowPortsSlowMessagesThatAreUnderWay) {
  const Cluster cluster = plain_cluster(4, 1);
  const Collective collective{
      .kind = CollectiveKind::AllReduce, .algorithm = Algorithm::Ring, .size = Bytes{8e6}};
  expect_equal(cluster, {{.collective = collective, .ranks = first_ranks(4)}}, 1e-6,
               {{.at = 200.0_us, .ranks = {1, 2}, .share = 0.02},
                {.at = 900.0_us, .ranks = {1}, .share = 1}});
}

// Port of 0: two messages of 1 MB share 10 GB/s until the first ends, after which the rest of the
// second has it alone. A of 1 MB: 200 us at half. B of 2 MB: 1 MB left, 100 us more.
TEST(StepReference, TwoMessagesShareAPortAndTheLongerOneGetsItBack) {
  Cluster cluster = plain_cluster(3, 1);
  cluster.intra_node = {BytesPerSecond{1e12}, {}};
  cluster.nic = {BytesPerSecond{10e9}, {}};
  const auto send = [](Rank to, double bytes) {
    return Launched{.collective = {.kind = CollectiveKind::Send,
                                   .algorithm = Algorithm::Direct,
                                   .size = Bytes{bytes}},
                    .ranks = {0, to}};
  };
  EventQueue queue;
  const auto ends = ends_on(queue, std::make_unique<FairLinks>(cluster, queue), cluster,
                            {send(1, 1e6), send(2, 2e6)}, {});
  EXPECT_NEAR(ends[0], 200e-6, 1e-15);
  EXPECT_NEAR(ends[1], 300e-6, 1e-15);
}

// What the busiest link needs for the bytes of messages that all start at 0.
Seconds busiest(const Cluster& cluster, const std::vector<Launched>& launches) {
  std::vector<Message> messages;
  for (const Launched& launch : launches)
    messages.push_back({launch.ranks[0], launch.ranks[1], launch.collective.size});
  return LinkLoads(cluster).transfer_time(messages);
}

std::vector<Launched> random_messages(const Cluster& cluster, std::uint32_t count,
                                      double begin_within, std::mt19937& random) {
  std::vector<Launched> launches;
  while (launches.size() < count) {
    const auto from = static_cast<Rank>(random() % cluster.ranks());
    const auto to = static_cast<Rank>(random() % cluster.ranks());
    const double size = 1e6 * static_cast<double>(1 + random() % 4);
    const double at = begin_within * static_cast<double>(random() % 1000) / 1000;
    if (from != to)
      launches.push_back({.collective = {.kind = CollectiveKind::Send,
                                         .algorithm = Algorithm::Direct,
                                         .size = Bytes{size}},
                          .ranks = {from, to},
                          .at = Seconds{at}});
  }
  return launches;
}

// A change of one link is followed until it fades out among the others: messages end within a
// few percent of when they do where it is followed everywhere.
TEST(NearLinks, RandomMessagesEndAsThoseThatShareMaxMinFairly) {
  std::mt19937 random(11);
  for (int made = 0; made < 20; ++made) {
    const Cluster cluster = made % 2 == 0 ? plain_cluster(16, 4) : racks(16, 2);
    const auto launches = random_messages(cluster, 300, 20e-3, random);
    const auto ends = [&](Reach reach) {
      EventQueue queue;
      return ends_on(queue, std::make_unique<FairLinks>(cluster, queue, reach), cluster, launches,
                     {});
    };
    const std::vector<double> near = ends(Reach::Near);
    const std::vector<double> all = ends(Reach::All);
    double difference = 0;
    for (std::size_t i = 0; i < near.size(); ++i)
      difference += std::abs(near[i] - all[i]) / (all[i] - launches[i].at.value);
    EXPECT_LT(difference / static_cast<double>(near.size()), 0.03) << made;
    EXPECT_NEAR(std::ranges::max(near) / std::ranges::max(all), 1, 0.03) << made;
  }
}

TEST(NearLinks, NoLinkCarriesMoreThanItsBandwidth) {
  std::mt19937 random(12);
  for (int made = 0; made < 50; ++made) {
    const Cluster cluster = made % 2 == 0 ? plain_cluster(8, 4) : racks(8, 2);
    const auto launches =
        random_messages(cluster, 10 + static_cast<std::uint32_t>(random() % 200), 0, random);
    EventQueue queue;
    const auto ends = ends_on(queue, std::make_unique<FairLinks>(cluster, queue, Reach::Near),
                              cluster, launches, {});
    EXPECT_GE(std::ranges::max(ends), busiest(cluster, launches).value * (1 - 1e-9)) << made;
  }
}

}  // namespace
}  // namespace stepcast
