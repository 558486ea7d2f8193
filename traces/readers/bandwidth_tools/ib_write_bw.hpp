#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// The table of ib_write_bw (perftest; also ib_read_bw, ib_send_bw): the best average bandwidth
/// over the sizes. The heading names the unit: MB/sec or MiB/sec are both 2^20 bytes/s in perftest,
/// Gb/sec are 1e9 bits/s.
bool is_ib_write_bw(std::string_view head);
BenchmarkLog read_ib_write_bw(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);

}  // namespace stepcast
