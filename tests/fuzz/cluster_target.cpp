#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast::fuzz {

bool accepts_cluster(std::string_view text) {
  return accepts([&] {
    const Cluster cluster = parse_cluster(text, "input");
    require(cluster.ranks() > 0, "a cluster has a GPU");
    require(cluster.nic.bandwidth.value > 0, "a NIC has a bandwidth");
    require(finite_and_not_negative(cluster.nic.startup.value), "a start-up is a time");
    require(finite_and_not_negative(cluster.overlap.compute_slowdown), "a slow-down is a number");
  });
}

}  // namespace stepcast::fuzz
