#pragma once

#include <string>
#include <string_view>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Whether the text begins as a table of operations does: its heading has the columns optype,
/// start_ts and duration.
bool is_operations_csv(std::string_view head);

/// A job from the table of its operations, a row each: dp_rank, stage, rank (its number in the
/// whole job), step, optype, start_ts (s since each step, the run or 1970 began), duration (s),
/// seq_id (the how many-th of its type in the step), and, of interleaved pipelines, mb_id
/// (micro-batch) and gmc (chunk of the model, counted through the pipeline, or by each stage for
/// itself, where all have the same; -1: of none). The ranks' clocks are as recorded;
/// edges and meetings are there.
///
/// Steps that not all ranks recorded are left out, and counted in `report`, as is what is not
/// known. Throws InputError that names line and field, or the field of the shape that the table
/// contradicts.
Job read_operations_csv(const std::string& text, const std::string& origin, const JobShape& shape,
                        ImportReport& report);

}  // namespace stepcast
