#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// The JSON that nccl-tests writes since 2.16 (-J): "results" with "size", "out_of_place" and
/// "in_place" (time in microseconds), and "config" with "devices". Other keys are ignored: the
/// format is not ours. Chosen between the two times as for the text.
bool is_nccl_tests_json(std::string_view head);
BenchmarkLog read_nccl_tests_json(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report);

}  // namespace stepcast
