#include "sim/study/network_notes.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

Cluster with_notes(std::vector<std::string> notes) {
  Cluster cluster;
  cluster.provenance.notes = std::move(notes);
  return cluster;
}

TEST(NetworkNotes, OnlyCaveatsOfTheClusterAreRepeated) {
  const Cluster cluster =
      with_notes({"nic: measured", "caveat: two nodes only", "no caveat: none"});
  EXPECT_EQ(caveats_of(cluster), std::vector<std::string>{"Caveat of the cluster: two nodes only"});
}

TEST(NetworkNotes, EveryForecastOnTheClusterRepeatsItsCaveats) {
  const Plan plan{.schedule = "bsp", .graph = TaskGraph({}, {})};
  const auto notes = network_notes(plan, with_notes({"caveat: two nodes only"}), Fidelity::Flow);
  EXPECT_EQ(notes, std::vector<std::string>{"Caveat of the cluster: two nodes only"});
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
  EXPECT_EQ(notes[0],
            "Resized beyond what was measured: 64 x 4 GPUs with the figures of c, which are those "
            "of 16 x 4.");
  EXPECT_EQ(size_notes(described, of_size(8, 8, ProvenanceKind::Derived)).size(), 1U);
  EXPECT_EQ(size_notes(described, of_size(8, 4, ProvenanceKind::Derived)).size(), 0U);
  // Nobody measured anything.
  EXPECT_EQ(size_notes(of_size(1, 1, ProvenanceKind::Assumed), of_size(9, 9, {})).size(), 0U);
}

}  // namespace
}  // namespace stepcast
