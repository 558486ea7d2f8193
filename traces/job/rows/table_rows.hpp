#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"
#include "traces/job/operation_types.hpp"

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

struct RestoredRows {
  std::size_t restored = 0;
  std::size_t lost = 0;  ///< That stay so; passes are counted by doubt_missing_passes().
};

/// Puts back the rows that are lost (stage_rows() says which), and doubts each.
///
/// When one began and ended its rank's other rows tell: of those next to it in the order of the
/// step that whose distance to it varies least over the rank's steps (too few: over all ranks of
/// its stage); the median distance counts. How long passes of its kind took the rank in the step
/// tells, too, if that varies less. Without three such steps it stays lost.
RestoredRows restore_rows(RowsByStep& rows, const std::vector<JobRank>& ranks,
                          const std::vector<OperationType>& types, ImportReport& report);

/// Decides what the operations are whose names are not known, see tell_types_by_times(), and
/// reports each decision once: as inferred where the name or the times tell, or where the type
/// takes less than 1 % of all time, and as doubtful where it is a guess that a verdict could hang
/// on. Returns the names of the doubtful types. `first_seen` holds of each type where its first row
/// stands.
std::vector<std::string> tell_unknown_types(RowsByStep& rows, const std::vector<JobRank>& ranks,
                                            std::vector<OperationType>& types,
                                            const std::vector<std::string>& first_seen,
                                            ImportReport& report);

/// Decides of each operation whose name is not known whether it is computation, a collective or a
/// message, and of which ranks: sets work, peers, groups and evidence of its type. Rows are those
/// of leave_out_odd_rows().
///
/// What ranks do together ends together, however late each of them came. So of each type the spread
/// of the ends over the ranks is compared with the spread of the begins. Clocks of hosts may be
/// apart, which moves both alike: the same is compared of how much begins and ends moved since the
/// step before, to which a constant offset adds nothing. Computation that began late ends late, so
/// that its ends lie as far apart as its begins, or further.
void tell_types_by_times(const RowsByStep& rows, const std::vector<JobRank>& ranks,
                         std::vector<OperationType>& types);

}  // namespace stepcast
