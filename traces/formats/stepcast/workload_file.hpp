#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/workload/workload.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// Reads a workload in StepCast's own format (configs/schema/workload.schema.json). Throws
/// InputError such as `w.json: /layers/3/forward_s: expected a time in seconds of at least 0,
/// found -1`.
Workload read_workload(const std::filesystem::path& path);

/// The same from a text; `origin` begins every error message.
Workload parse_workload(std::string_view text, const std::string& origin);

/// The workload in StepCast's own format, one layer a line so that changes are easy to compare.
/// Times carry 9 significant digits; sizes and counts are exact. The same workload gives the same
/// bytes.
std::string to_json_text(const Workload& workload);

// The words of the workload format, shared by its reader and its writer.

inline constexpr std::string_view kWorkloadFormat = "stepcast-workload";

inline constexpr std::array kDataTypeNames = {
    std::pair{DataType::Float64, "fp64"}, std::pair{DataType::Float32, "fp32"},
    std::pair{DataType::Float16, "fp16"}, std::pair{DataType::BFloat16, "bf16"},
    std::pair{DataType::Int8, "int8"},
};

inline constexpr std::array kBatchScalingNames = {
    std::pair{BatchScaling::Unknown, "unknown"},
    std::pair{BatchScaling::Proportional, "proportional"},
};

inline constexpr const char* kRecordedPipeline = "recorded_pipeline";

/// The object of this name in a workload with these layers. Throws InputError.
RecordedPipeline read_pipeline(ObjectReader reader, const std::vector<Layer>& layers);

/// Its text, on lines of their own.
std::string pipeline_text(const RecordedPipeline& pipeline);

}  // namespace stepcast
