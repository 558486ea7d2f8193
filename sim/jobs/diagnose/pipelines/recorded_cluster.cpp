#include "sim/jobs/diagnose/pipelines/recorded_cluster.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/catalog.hpp"

namespace stepcast {

Cluster recorded_cluster(const Job& job) try {
  Cluster cluster = load_cluster(job.shape.recorded_on);
  const std::uint32_t each = std::min(cluster.gpus_per_node, job.gpus);
  if (job.gpus % each != 0)
    throw InputError(fmt::format("expected a cluster with nodes that {} GPUs fill, found {} each",
                                 job.gpus, each));
  cluster.nodes = job.gpus / each;
  cluster.gpus_per_node = each;
  return cluster;
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: recorded_on: {}", job.name, error.what()));
}

}  // namespace stepcast
