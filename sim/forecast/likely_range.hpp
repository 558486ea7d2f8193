#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/network/cluster.hpp"
#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

namespace stepcast {

/// What a step is asked about, as far as errors depend on it.
struct RangeQuestion {
  std::string schedule;
  std::string device;
  std::string network;  ///< See network_class().
  std::uint32_t gpus = 1;
  bool experts = false;  ///< The model has some: asked of schedules that cut it.
};

/// Where a measured step is likely to lie, as factors on the predicted time.
struct LikelyRange {
  double low = 1;
  double high = 1;
  std::string basis;  ///< "the errors of 13 checked steps of wfbp on slow networks (4 to 16 GPUs)"
};

/// The same of one step.
struct LikelyStep {
  Seconds low{};
  Seconds high{};
  std::string basis{};  ///< Empty: not known.
};

inline LikelyStep likely_step(const LikelyRange& range, Seconds step) {
  return {.low = step * range.low, .high = step * range.high, .basis = range.basis};
}

/// "node" (one node), "slow" (its adapters carry at most 2 GB/s) or "fast".
std::string_view network_class(const Cluster& cluster);

/// From the errors of those checked cases that are most like the question: of the same schedule on
/// the same kind of network, else of its family (gradients, second order, compressed, others)
/// there, else of all on that kind of network, else of all; at least five. The range holds nine
/// tenths of them (the order statistic that makes this hold for one more case like them; all of
/// them below ten), and is at least 2 % wide on each side. It widens by a half where the cases are
/// of other schedules, by a half where they are of other devices, and by a quarter for each
/// doubling of GPUs beyond the largest of them. These four widths are chosen, not fitted;
/// likely_range_test measures what they cover where a schedule, a device or the larger sizes are
/// left out. Precondition: `cases` is not empty.
///
/// Of schedules that cut the model: of models like it (with experts or without) on the same device,
/// else of models like it, else of all; all of them count as of other schedules: their software was
/// described with them in sight, that of the question is not.
LikelyRange likely_range(const RangeQuestion& question, std::span<const CheckedCase> cases);

/// The same from the cases that ship, for all ranks of the cluster; 0 to 0 without a basis where
/// there are none. Of schedules that cut the model only where the model's experts, or that it has
/// none, are told: none of the steps recorded as pipelines was checked.
LikelyRange shipped_range(const std::string& schedule, const std::string& device,
                          const Cluster& cluster, std::optional<bool> experts = std::nullopt);

/// The cases that StepCast ships, of schedules that do not cut the model, to which nothing was
/// fitted; none where its data lie elsewhere without them. Read once.
const std::vector<CheckedCase>& shipped_checks();
/// Those that cut it, whose clusters and software were described with their rows in sight.
const std::vector<CheckedCase>& shipped_layouts();

}  // namespace stepcast
