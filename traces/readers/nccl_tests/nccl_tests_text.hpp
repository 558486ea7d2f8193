#pragma once

#include "traces/readers/benchmark_log.hpp"

namespace stepcast {

/// The table that the programs of nccl-tests print. Of the out-of-place and the in-place time the
/// shorter is taken: training communicates in place, and disturbance only ever adds; where they
/// differ by more than 15 % a doubt is counted. Rows with wrong results are skipped. The kind comes
/// from the hints, else from the program's name in the log, else from the columns and the ratio of
/// bus to algorithm bandwidth, else from the file's name.
bool is_nccl_tests_text(std::string_view head);
BenchmarkLog read_nccl_tests_text(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report);

/// The shorter of two times, counting a doubt if they differ much; shared with the JSON form.
Seconds shorter_of(Seconds out_of_place, Seconds in_place, const std::string& where,
                   ImportReport& report);

/// What columns and bandwidths say of the kind. `factor` is bus over algorithm bandwidth.
std::optional<CollectiveKind> find_kind_by_columns(bool has_redop, bool has_root, double factor,
                                                   std::uint32_t ranks);

/// The kind by hints, content or file name; throws InputError if nothing tells.
CollectiveKind kind_of_log(const BenchmarkHints& hints, std::optional<CollectiveKind> by_content,
                           const std::string& origin);

}  // namespace stepcast
