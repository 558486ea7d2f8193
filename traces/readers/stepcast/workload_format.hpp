#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "models/workload/workload.hpp"

namespace stepcast {

// The words of the workload format, shared by its reader and its writer.

inline constexpr std::string_view kWorkloadFormat = "stepcast-workload";
inline constexpr unsigned kWorkloadVersion = 1;

inline constexpr std::array kDataTypeNames = {
    std::pair{DataType::Float64, "fp64"}, std::pair{DataType::Float32, "fp32"},
    std::pair{DataType::Float16, "fp16"}, std::pair{DataType::BFloat16, "bf16"},
    std::pair{DataType::Int8, "int8"},
};

inline constexpr std::array kBatchScalingNames = {
    std::pair{BatchScaling::Unknown, "unknown"},
    std::pair{BatchScaling::Proportional, "proportional"},
};

}  // namespace stepcast
