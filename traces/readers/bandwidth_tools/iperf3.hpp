#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// The summary of iperf3 (also iperf 2's): what the receiver got over the whole test; of several
/// streams their sum. JSON (-J): /end/sum_received/bits_per_second.
bool is_iperf3_text(std::string_view head);
BenchmarkLog read_iperf3_text(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);
bool is_iperf3_json(std::string_view head);
BenchmarkLog read_iperf3_json(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);

}  // namespace stepcast
