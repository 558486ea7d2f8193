#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/base/units.hpp"
#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// What a user changes about a run with `--set key=value`, checked but not yet applied:
///   step_time=252.9ms        forward, backward and update of the workload
///   update_time=15.8ms       the optimiser's update: another one, or a part of a step without
///   batch=8                  samples per GPU (weak scaling: it stays when GPUs are added)
///   global_batch=4096        samples of all GPUs (strong scaling); see resolved_batch()
///   batch_fixed_part=0.1     share of a layer's time that does not follow the batch
///   second_workload=NAME     the same network at another batch, to interpolate layer times
///   straggler.3=1.5          rank 3 computes 1.5 times slower
///   cluster.nic.bandwidth=25Gbps   any field of the cluster file by its path
///   cluster.collectives=NAME  measured curves of that name or file; "none" for closed forms
///   anything else            an option of the schedule, which checks it itself
struct Settings {
  std::optional<Seconds> step_time;
  std::optional<Seconds> update_time;
  std::optional<std::uint32_t> batch;
  std::optional<std::uint32_t> global_batch;
  std::optional<double> batch_fixed_part;
  std::string second_workload;                  ///< Name or path; empty: none.
  std::map<Rank, double> stragglers;            ///< Factor on compute times, above 0.
  std::map<std::string, std::string> cluster;   ///< By path without "cluster.".
  std::map<std::string, std::string> schedule;  ///< Options as text.
};

/// Adds one setting. Throws InputError (without the key) for an unknown cluster field, a bad value,
/// or a key that is set already.
void add_setting(Settings& settings, std::string_view key, std::string_view value);

/// `--set` arguments, each "key=value". Errors begin with `--set <argument>: `.
Settings parse_settings(std::span<const std::string> arguments);

/// Adds `--nodes` and `--gpus-per-node`. Throws InputError if `--set` sets the same field.
void add_size(Settings& settings, std::optional<std::uint32_t> nodes,
              std::optional<std::uint32_t> gpus_per_node);

/// `base` with every setting of `over` taking precedence.
Settings overlaid(Settings base, const Settings& over);

/// Mini-batches that a GPU works through in a step: the option accumulation. Throws InputError.
std::uint64_t passes_of(const Settings& settings);

/// `settings` with the batch of each GPU: global_batch / (GPUs that train x accumulation); without
/// `training` all of the cluster do. Throws InputError if batch is set too or the division leaves a
/// remainder.
Settings resolved_batch(Settings settings, const Cluster& cluster,
                        std::optional<std::uint32_t> training = std::nullopt);

/// The workload at the batch size (loading second_workload if it is set), then at the step time and
/// with the update set. Its provenance notes the changes. Throws InputError for an update that
/// leaves nothing of the step.
Workload with_settings(Workload workload, const Settings& settings);

/// The cluster with the fields set. Its provenance notes each. Throws InputError if the result has
/// too many GPUs or a rack without a number of nodes.
Cluster with_settings(Cluster cluster, const Settings& settings);

}  // namespace stepcast
