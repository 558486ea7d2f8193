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

}  // namespace
}  // namespace stepcast
