#pragma once

#include <string>
#include <vector>

#include "sim/jobs/diagnose/pipelines/pipeline_record.hpp"

namespace stepcast {

/// What forecasts of a recorded pipeline do in another way than it was recorded, in sentences.
std::vector<std::string> notes_of(const PipelineRecord& record);

}  // namespace stepcast
