#include "models/schedule/model_parallel/hybrid_messages.hpp"

#include <algorithm>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// Of one message of every rank of a node, which share its adapters, or of ranks inside a node.
Seconds message_time(const HybridJob& job, const Cluster& cluster) {
  const Bytes size = message_size(job, 0) / job.between_stages.ratio;
  if (job.layout.ranks() <= cluster.gpus_per_node)
    return cluster.intra_node.startup + size / cluster.intra_node.bandwidth;
  const double ranks = std::min(job.layout.stage_ranks(), cluster.gpus_per_node);
  return cluster.nic.startup + size * ranks / node_link(cluster).bandwidth;
}

void add_links(HybridJob& job, const HybridReader& options) try {
  if (job.order.chunks > 1 && !job.order.both_ways)
    throw InputError("expected a schedule with one part of the model on each rank");
  if (options.read.is("messages", "blocking"))
    throw InputError("expected messages=asynchronous beside it");
  job.links = parse_stage_links(options.read.text("stage_links"), job.order.stages - 1);
  const double ratio = job.between_stages.ratio;
  if (options.read.is("stage_ratios", "adaptive"))
    adapt_ratios(job.links, message_size(job, 0), ratio);
  else
    for (StageLink& link : job.links)
      link.ratio = ratio;
} catch (const InputError& error) {
  options.read.fail("stage_links", error.what());
}

}  // namespace

MessageCodec codec_of(const OptionReader& read, const std::string& kind) {
  return {.ratio = read.number(kind + "_ratio"),
          .rate = BytesPerSecond{1e9 * read.number(kind + "_codec")},
          .at_hops = read.is("compressed_sums", "hops")};
}

void add_messages(HybridJob& job, const Cluster& cluster, const HybridReader& options) {
  if (!job.exchange)
    job.gradients = codec_of(options.read, "dp");
  job.between_stages = codec_of(options.read, "pp");
  if (!options.read.is("stage_links", "cluster"))
    add_links(job, options);
  else if (options.read.is("stage_ratios", "adaptive"))
    options.read.fail("stage_ratios", "expected stage_links beside it");
  if (options.read.is("messages", "blocking") && job.order.stages > 1)
    job.blocked = message_time(job, cluster);
}

Bytes message_size(const HybridJob& job, std::uint32_t part) {
  const Bytes size = job.units[job.first_unit[part + 1] - 1].output;
  return job.scatter_messages ? size / job.layout.tensor : size;
}

double message_ratio(const HybridJob& job, std::uint32_t from, std::uint32_t to) {
  return job.links.empty() ? job.between_stages.ratio : job.links[std::min(from, to)].ratio;
}

}  // namespace stepcast
