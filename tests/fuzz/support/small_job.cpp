#include "tests/fuzz/support/small_job.hpp"

#include <cstdlib>
#include <sstream>

#include "models/base/error.hpp"
#include "traces/catalog.hpp"

namespace stepcast::fuzz {

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

const Workload& small_workload() {
  static const Workload workload = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 0);
    Workload whole = load_workload("resnet50-rtx2080ti-bs64");
    whole.layers.resize(6);
    whole.edges.clear();
    return whole;
  }();
  return workload;
}

const Cluster& small_cluster() {
  static const Cluster cluster = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 0);
    Cluster whole = load_cluster("rtx2080ti-16x4-10gbe");
    whole.nodes = 2;
    whole.gpus_per_node = 2;
    return whole;
  }();
  return cluster;
}

void require_small(const Settings& settings) {
  if (!settings.second_workload.empty() || settings.cluster.contains("collectives"))
    throw InputError("files are other targets' affair");
  if (settings.schedule.contains("fusion"))
    throw InputError("a search simulates often");
  if (with_settings(small_cluster(), settings).ranks() > kMostRanks)
    throw InputError("too large to be tried often");
}

}  // namespace stepcast::fuzz
