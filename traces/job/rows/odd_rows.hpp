#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/operation_types.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// By step, operations and their types. An operation's rank is its place in a list of ranks.
using TypedOperation = std::pair<JobOperation, std::uint16_t>;
using RowsByStep = std::map<std::int64_t, std::vector<TypedOperation>>;

/// Leaves out and counts ranks with less than a hundredth of the usual number of rows, which are
/// damaged ones.
void leave_out_stray_ranks(RowsByStep& rows, std::vector<JobRank>& ranks, ImportReport& report);

/// Sorts the rows of each step by rank and time, leaves out and counts those that are there twice,
/// that lie far from all others of their rank or last while it computes others, and passes of a
/// micro-batch that hardly any rank has. Returns how many micro-batches there are; 0: not told.
/// Throws InputError `<origin>: ..` where many are there twice with other times, and where ranks
/// have far fewer micro-batches than others: the table is of two jobs then.
std::uint32_t leave_out_odd_rows(RowsByStep& rows, const std::vector<JobRank>& ranks,
                                 const std::vector<OperationType>& types, const std::string& origin,
                                 ImportReport& report);

/// Whether it is a pass of a micro-batch.
bool is_pass(const TypedOperation& row, const std::vector<OperationType>& types);

/// Doubts each pass that a rank did not run in a step in which others of its stage did (all others,
/// where a stage has one rank). Returns how many.
std::size_t doubt_missing_passes(const RowsByStep& rows, const std::vector<JobRank>& ranks,
                                 const std::vector<OperationType>& types, ImportReport& report);

}  // namespace stepcast
