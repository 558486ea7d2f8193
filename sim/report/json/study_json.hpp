#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

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

/// As it is printed.
std::string printed(const nlohmann::ordered_json& json);

}  // namespace stepcast
