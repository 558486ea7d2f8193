#pragma once

#include "traces/formats/benchmark_log.hpp"

namespace stepcast {

/// The summary of iperf3 (also iperf 2's): what the receiver got over the whole test; of several
/// streams their sum. JSON (-J): /end/sum_received/bits_per_second.
bool is_iperf3_text(std::string_view head);
BenchmarkLog read_iperf3_text(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);
bool is_iperf3_json(std::string_view head);
BenchmarkLog read_iperf3_json(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);

/// The table of ib_write_bw (perftest; also ib_read_bw, ib_send_bw): the best average bandwidth
/// over the sizes. The heading names the unit: MB/sec or MiB/sec are both 2^20 bytes/s in perftest,
/// Gb/sec are 1e9 bits/s.
bool is_ib_write_bw(std::string_view head);
BenchmarkLog read_ib_write_bw(std::string_view text, const std::string& origin,
                              const BenchmarkHints& hints, ImportReport& report);

/// The table that the programs of nccl-tests print. Of the out-of-place and the in-place time the
/// shorter is taken: training communicates in place, and disturbance only ever adds; where they
/// differ by more than 15 % a doubt is counted. Rows with wrong results, negative numbers or a time
/// that contradicts their bandwidth are skipped. The kind comes from the program's name in the log,
/// else from the columns and the ratio of bus to algorithm bandwidth, else from the hints or the
/// file's name (see kind_of_log); ranks and nodes from the list of ranks, else from the hints. The
/// ratio also tells the number of ranks, which checks the list and stands for one that is missing.
bool is_nccl_tests_text(std::string_view head);
BenchmarkLog read_nccl_tests_text(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report);

/// The JSON that nccl-tests writes since 2.16 (-J): "results" with "size", "out_of_place" and
/// "in_place" (time in microseconds), and "config" with "devices". Other keys are ignored: the
/// format is not ours. Chosen between the two times as for the text.
bool is_nccl_tests_json(std::string_view head);
BenchmarkLog read_nccl_tests_json(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report);

/// A table of the OSU micro-benchmarks: a collective (average latency by size), or point-to-point
/// latency or bandwidth, which become the link's. The log names neither ranks nor nodes: hints
/// must. OSU's size is what one rank sends; it becomes the full buffer. Throws InputError for other
/// tests, for several tests in one file, and for other units than us and MB/s.
bool is_osu(std::string_view head);
BenchmarkLog read_osu(std::string_view text, const std::string& origin, const BenchmarkHints& hints,
                      ImportReport& report);

}  // namespace stepcast
