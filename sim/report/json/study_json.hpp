#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/forecast/likely_range.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// What every study is of. A study of several clusters leaves out the cluster, one of several sizes
/// the number of GPUs.
struct StudyHead {
  std::string workload;
  std::string cluster{};
  std::uint32_t gpus = 0;
  std::string fidelity;
};

/// What the JSON of every study begins with.
nlohmann::ordered_json study_json(const StudyHead& head);

/// Where a step of "STEP_s" is likely to lie: "STEP_low_s", "STEP_high_s" and "error_basis";
/// nothing where that is not known.
void add_likely(nlohmann::ordered_json& json, const LikelyStep& likely,
                const std::string& step = "iteration_time");

/// As it is printed; bytes that are no UTF-8 are replaced.
std::string printed(const nlohmann::ordered_json& json);

/// What inspect, replay, diagnose and optimise say under "stalls" of a recording that has some.
nlohmann::ordered_json stalls_json(const RecordedPace& pace);

}  // namespace stepcast
