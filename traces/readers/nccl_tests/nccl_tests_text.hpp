#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

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

/// The shorter of two times, counting a doubt if they differ much; shared with the JSON form.
Seconds shorter_of(Seconds out_of_place, Seconds in_place, const std::string& where,
                   ImportReport& report);

}  // namespace stepcast
