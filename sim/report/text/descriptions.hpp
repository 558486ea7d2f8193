#pragma once
// What `stepcast show` prints, one function for each kind of thing.

#include <optional>
#include <string>

#include "models/device/device_spec.hpp"
#include "models/device/training_law.hpp"
#include "models/network/cluster.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/architecture.hpp"
#include "models/workload/transformer/transformer.hpp"
#include "models/workload/workload.hpp"
#include "traces/formats/stepcast/experiments/experiment_reader.hpp"
#include "traces/formats/stepcast/goal_reader.hpp"

namespace stepcast {

std::string description_of(const Workload& workload);  ///< With the longest layers.
std::string description_of(const Cluster& cluster);    ///< Fields by their paths for --set.
std::string description_of(const DeviceSpec& device, const std::optional<TrainingLaw>& law);
std::string description_of(const Architecture& architecture);
/// `source`: where the shape is published; empty: a user's.
std::string description_of(const Transformer& transformer, const std::string& source);
std::string description_of(const MeasuredCollectives& measured);  ///< With its curves.
std::string description_of(const Experiment& experiment);
std::string description_of(const Goal& goal);              ///< With its ways of training.
std::string description_of(const ScheduleInfo& schedule);  ///< With its options.

}  // namespace stepcast
