#pragma once

#include <string>

#include "models/workload/recorded_pipeline.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

inline constexpr const char* kRecordedPipeline = "recorded_pipeline";

/// The object of this name in a workload with so many layers. Throws InputError.
RecordedPipeline read_pipeline(ObjectReader reader, std::size_t layers);

/// Its text, on lines of their own.
std::string pipeline_text(const RecordedPipeline& pipeline);

}  // namespace stepcast
