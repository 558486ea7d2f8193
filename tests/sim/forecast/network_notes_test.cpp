#include "sim/forecast/network_notes.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

Cluster with_caveat(const char* caveat) {
  Cluster cluster;
  cluster.provenance.notes = {"nic: measured"};
  cluster.provenance.caveats = {caveat};
  return cluster;
}

const Note kTwoNodes{NoteKind::Cluster, "caveat", "Caveat of the cluster: two nodes only"};

TEST(NetworkNotes, OnlyCaveatsOfTheClusterAreRepeated) {
  EXPECT_EQ(caveats_of(with_caveat("two nodes only")), Notes{kTwoNodes});
}

TEST(NetworkNotes, EveryForecastOnTheClusterRepeatsItsCaveats) {
  const Plan plan{.schedule = "bsp", .graph = TaskGraph({}, {})};
  const auto notes = network_notes(plan, with_caveat("two nodes only"), Fidelity::Flow);
  EXPECT_EQ(notes, Notes{kTwoNodes});
}

TEST(NetworkNotes, CostsThatAClusterDoesNotGiveAreNamed) {
  Cluster cluster;
  EXPECT_EQ(note_on_costs(cluster), std::nullopt);
  cluster.costs_not_given = {"overlap.launch_wait", "software.collective_launch"};
  EXPECT_EQ(note_on_costs(cluster)->text,
            "Costs of the cluster not given, taken as 0: software.collective_launch, "
            "overlap.launch_wait.");
  cluster.costs_not_given.emplace_back("software.ps_sum_bandwidth");
  EXPECT_EQ(note_on_costs(cluster)->text,
            "Costs of the cluster not given, taken as 0: software.collective_launch, "
            "overlap.launch_wait; as free: software.ps_sum_bandwidth.");
  cluster.costs_not_given = {"device_memory_bandwidth"};
  EXPECT_EQ(note_on_costs(cluster)->text,
            "Costs of the cluster not given, taken as free: device_memory_bandwidth.");
  EXPECT_EQ(caveats_of(cluster), Notes{*note_on_costs(cluster)});
}

// NCCL's tuner counts with 9.6 us a step of a ring between nodes.
TEST(NetworkNotes, NcclOnANetworkThatStartsUpLaterThanItsTunerExpectsSaysSo) {
  Cluster cluster{.nodes = 2, .nic = {.startup = Seconds{9e-6}}};
  EXPECT_EQ(note_on_tuner(cluster, Fidelity::Flow), std::nullopt);
  cluster.nic.startup = Seconds{13.7e-6};
  const auto note = note_on_tuner(cluster, Fidelity::Flow);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->text,
            "nccl takes a ring or a tree as NCCL 2.8.3 does: by constants for Volta GPUs, whose "
            "rings start up in at most 9.6 us a step between nodes. Here it is 13.7 us "
            "(nic.startup), so that what it does not take may be faster.");
  Plan plan{.schedule = "bsp", .graph = TaskGraph({}, {})};
  EXPECT_EQ(network_notes(plan, cluster, Fidelity::Flow), Notes{});
  plan.collectives.push_back({.collective = {.algorithm = Algorithm::Nccl}});
  EXPECT_EQ(network_notes(plan, cluster, Fidelity::Flow), Notes{*note});
  cluster.measured.emplace().fits.emplace_back();
  EXPECT_EQ(note_on_tuner(cluster, Fidelity::Flow), std::nullopt);
  EXPECT_EQ(note_on_tuner(cluster, Fidelity::Step), note);
  cluster.nodes = 1;
  EXPECT_EQ(note_on_tuner(cluster, Fidelity::Step), std::nullopt);
}

Cluster of_size(std::uint32_t nodes, std::uint32_t gpus_per_node, ProvenanceKind kind) {
  Cluster cluster{.name = "c", .nodes = nodes, .gpus_per_node = gpus_per_node};
  cluster.provenance.kind = kind;
  return cluster;
}

TEST(NetworkNotes, AClusterResizedBeyondWhatWasMeasuredSaysSo) {
  const Cluster described = of_size(16, 4, ProvenanceKind::Derived);
  const auto notes = size_notes(described, of_size(64, 4, ProvenanceKind::Derived));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].text,
            "Resized beyond what was measured: 64 x 4 GPUs with the figures of c, which are those "
            "of 16 x 4.");
  EXPECT_EQ(size_notes(described, of_size(8, 8, ProvenanceKind::Derived)).size(), 1U);
  EXPECT_EQ(size_notes(described, of_size(8, 4, ProvenanceKind::Derived)).size(), 0U);
  // Nobody measured anything.
  EXPECT_EQ(size_notes(of_size(1, 1, ProvenanceKind::Assumed), of_size(9, 9, {})).size(), 0U);
}

TEST(NetworkNotes, UtilisationAboveTheLinksNamesItsReasonAndTheFidelityThatAnswers) {
  const std::vector<LinkLoad> fine{{.name = "every NIC", .utilisation = 1}};
  const std::vector<LinkLoad> over{{.name = "every GPU port", .utilisation = 1.9}};
  EXPECT_EQ(overload_notes(fine, {}, Fidelity::Analytic), Notes{});
  const auto notes = overload_notes(over, {}, Fidelity::Analytic);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].text,
            "Utilisation above 100 % (every GPU port: 190 %): this fidelity replays the messages "
            "between nodes and leaves out those inside a node that run beside them; step replays "
            "every message.");
  Cluster measured;
  measured.measured = MeasuredCollectives{.name = "logs", .fits = {{}}};
  EXPECT_NE(
      overload_notes(over, measured, Fidelity::Flow)[0].text.find("measured collectives (logs)"),
      std::string::npos);
}

}  // namespace
}  // namespace stepcast
