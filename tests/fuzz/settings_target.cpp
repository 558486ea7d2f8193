// One `--set` argument a line.
#include <string>
#include <vector>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/settings.hpp"

namespace stepcast::fuzz {
namespace {

Workload example_workload() {
  Workload workload;
  workload.layers.push_back({.name = "fc",
                             .kind = "Linear",
                             .forward = Seconds{1e-3},
                             .backward = Seconds{2e-3},
                             .parameters = {}});
  return workload;
}

}  // namespace

bool accepts_settings(std::string_view text) {
  return accepts([&] {
    const Settings settings = parse_settings(lines_of(text));
    const Workload workload = with_settings(example_workload(), settings);
    const Cluster cluster = with_settings(Cluster{}, settings);
    require(finite_and_not_negative(forward_time(workload).value), "a step takes a time");
    require(cluster.ranks() > 0, "a cluster has a GPU");
  });
}

}  // namespace stepcast::fuzz
