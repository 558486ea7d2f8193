#include "models/schedule/decentralised/peer_graph.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

double gap(std::uint32_t workers, Topology topology) {
  return spectral_gap(make_peer_graph(workers, {.topology = topology}));
}

// Of the circulants by their eigenvalues: (1 + 2 cos(2 pi / n)) / 3 of a ring.
TEST(PeerGraph, SpectralGapsAreThoseOfTheEigenvalues) {
  EXPECT_NEAR(gap(16, Topology::Ring), 0.0507, 1e-4);
  EXPECT_NEAR(gap(16, Topology::RingBased), 0.1464, 1e-4);
  EXPECT_NEAR(gap(16, Topology::DoubleRing), 0.4, 1e-4);
  EXPECT_NEAR(gap(16, Topology::Torus), 0.4, 1e-4);
  EXPECT_NEAR(gap(16, Topology::Exponential), 0.4, 1e-4);
  EXPECT_NEAR(gap(8, Topology::Ring), 0.1953, 1e-4);
  EXPECT_NEAR(gap(8, Topology::RingBased), 0.5, 1e-4);
  EXPECT_NEAR(gap(64, Topology::Ring), 0.0032, 1e-4);
  EXPECT_NEAR(gap(64, Topology::RingBased), 0.0096, 1e-4);
  EXPECT_NEAR(gap(64, Topology::Torus), 0.1172, 1e-4);
  EXPECT_NEAR(gap(64, Topology::Exponential), 0.2857, 1e-4);
}

TEST(PeerGraph, OnePeerGivesEveryoneOneMessageInAndOut) {
  for (const Topology topology : {Topology::OnePeer, Topology::InnerOuter}) {
    const PeerGraph graph = make_peer_graph(32, {.topology = topology, .per_node = 8});
    for (std::uint32_t t = 0; t < graph.rounds(); ++t)
      for (Rank i = 0; i < 32; ++i) {
        EXPECT_EQ(graph.to_of(t, i).size(), 1U);
        EXPECT_EQ(graph.from_of(t, i).size(), 1U);
      }
  }
}

TEST(PeerGraph, InnerOuterLetsOneRankOfAMachineLeave) {
  const PeerGraph graph = make_peer_graph(32, {.topology = Topology::InnerOuter, .per_node = 8});
  for (std::uint32_t t = 0; t < graph.rounds(); ++t)
    for (Rank i = 0; i < 32; ++i)
      EXPECT_EQ(graph.to_of(t, i)[0] / 8 != i / 8, i % 8 == t % 8) << t << " " << i;
}

TEST(PeerGraph, RandomIsRegularConnectedAndTheSameForASeed) {
  const PeerGraphOptions options{.topology = Topology::Random, .degree = 3, .seed = 4};
  const PeerGraph graph = make_peer_graph(20, options);
  for (Rank i = 0; i < graph.workers; ++i)
    EXPECT_EQ(graph.to[0][i].size(), 3U);
  EXPECT_EQ(make_peer_graph(20, options).to, graph.to);
}

TEST(PeerGraph, WhatIsNotConnectedIsRefused) {
  try {
    peer_graph_of({{1}, {0}, {3}, {2}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the graph is not connected: what worker 0 knows never reaches 2");
  }
  EXPECT_THROW(make_peer_graph(7, {.topology = Topology::RingBased}), InputError);
  EXPECT_THROW(make_peer_graph(5, {.topology = Topology::Random, .degree = 3}), InputError);
}

TEST(PeerGraph, HopsAreShortestPaths) {
  const auto hops = hops_of(make_peer_graph(16, {}));
  EXPECT_EQ(hops[0][8], 8U);
  EXPECT_EQ(hops[15][0], 1U);
}

// Of 24 workers on 6 machines, where no two edges fall together.
TEST(PeerGraph, TheNumberOfEdgesIsKnownBeforeTheyAreMade) {
  for (const Topology topology :
       {Topology::Ring, Topology::RingBased, Topology::DoubleRing, Topology::Exponential,
        Topology::OnePeer, Topology::InnerOuter, Topology::Torus, Topology::Random, Topology::Star,
        Topology::Complete}) {
    const PeerGraphOptions options{.topology = topology, .per_node = 4, .degree = 3};
    const PeerGraph graph = make_peer_graph(24, options);
    double edges = 0;
    for (const Adjacency& receivers : graph.to)
      edges += receivers.edges();
    EXPECT_EQ(size_of_peer_graph(24, options).edges, edges) << static_cast<int>(topology);
    EXPECT_EQ(size_of_peer_graph(24, options).rounds, graph.rounds());
  }
}

TEST(PeerGraph, BillionsOfEdgesAreRefusedAtOnce) {
  EXPECT_THROW(make_peer_graph(65'540, {.topology = Topology::Complete}), InputError);
}

}  // namespace
}  // namespace stepcast
