#pragma once

#include <string>
#include <vector>

#include "models/workload/workload.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

inline constexpr const char* kRecordedPipeline = "recorded_pipeline";

/// The object of this name in a workload with these layers. Throws InputError.
RecordedPipeline read_pipeline(ObjectReader reader, const std::vector<Layer>& layers);

/// Its text, on lines of their own.
std::string pipeline_text(const RecordedPipeline& pipeline);

}  // namespace stepcast
