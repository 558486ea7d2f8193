#include <numeric>

#include <fmt/format.h>

#include "traces/job/rows/table_rows.hpp"

namespace stepcast {
namespace {

const char* meaning_of(const OperationType& type) {
  switch (type.peers) {
    case OperationPeers::Nobody:
      return type.evidence == TypeEvidence::Times ? "computation, which each rank ends by itself"
                                                  : "computation";
    case OperationPeers::DataGroup:
      return type.evidence == TypeEvidence::Times
                 ? "a collective of the data-parallel group, whose ranks end it together"
                 : "a collective of the data-parallel group";
    case OperationPeers::World:
      return "a collective of all ranks, which end it together";
    case OperationPeers::Group:
    case OperationPeers::OuterStages:
      return "a collective of the groups of ranks that end it together";
    case OperationPeers::NextSend:
    case OperationPeers::PreviousSend:
      return "the sending of a message";
    case OperationPeers::NextReceive:
    case OperationPeers::PreviousReceive:
      return "the receipt of a message";
  }
  return "";
}

/// The time that operations of each type take, all together.
std::vector<Seconds> times_of(const RowsByStep& rows, std::size_t types) {
  std::vector<Seconds> times(types);
  for (const auto& [step, operations] : rows)
    for (const auto& [done, type] : operations)
      times[type] += done.end - done.begin;
  return times;
}

}  // namespace

std::vector<std::string> tell_unknown_types(RowsByStep& rows, const std::vector<JobRank>& ranks,
                                            std::vector<OperationType>& types,
                                            const std::vector<std::string>& first_seen,
                                            ImportReport& report) {
  constexpr double kShare = 0.01;  // Of all time, from which on a wrong guess moves a verdict.
  tell_types_by_times(rows, ranks, types);
  for (auto& [step, operations] : rows)
    for (auto& [done, type] : operations)
      if (!types[type].known && types[type].work != JobWork::Transfer)
        done.chunk = done.kind;
  const std::vector<Seconds> times = times_of(rows, types.size());
  const Seconds all = std::accumulate(times.begin(), times.end(), Seconds{});
  std::vector<std::string> doubtful;
  for (std::size_t type = 0; type < types.size(); ++type) {
    const OperationType& each = types[type];
    if (each.known || each.marker)
      continue;
    const std::string taken =
        fmt::format("operation of unknown type \"{}\", taken for {}", each.name, meaning_of(each));
    if (each.evidence == TypeEvidence::Nothing && times[type] > all * kShare) {
      report.doubt(taken, first_seen[type]);
      doubtful.push_back(each.name);
    } else {
      report.infer(taken, first_seen[type]);
    }
  }
  return doubtful;
}

}  // namespace stepcast
