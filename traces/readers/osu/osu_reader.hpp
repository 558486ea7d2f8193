#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// A table of the OSU micro-benchmarks: a collective (average latency by size), or point-to-point
/// latency or bandwidth, which become the link's. The log names neither ranks nor nodes: hints
/// must. OSU's size is what one rank sends; it becomes the full buffer. Throws InputError for other
/// tests, for several tests in one file, and for other units than us and MB/s.
bool is_osu(std::string_view head);
BenchmarkLog read_osu(std::string_view text, const std::string& origin, const BenchmarkHints& hints,
                      ImportReport& report);

}  // namespace stepcast
