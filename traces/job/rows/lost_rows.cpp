#include "traces/job/rows/lost_rows.hpp"

#include <algorithm>

// Cost: a look-up for each row, and a bit for each identity of each rank in each step.

namespace stepcast {
namespace {

/// What ranks of several stages run alike: kind, sequence, micro-batch. A send and its receive are
/// of one kind.
using Alike = std::tuple<std::string, std::uint32_t, std::int32_t>;

Alike alike_of(const RowIdentity& identity, const std::vector<OperationType>& types) {
  return {types[std::get<0>(identity)].kind, std::get<1>(identity), std::get<2>(identity)};
}

std::map<std::uint32_t, StageRows> gather(const RowsByStep& rows,
                                          const std::vector<JobRank>& ranks) {
  std::map<std::uint32_t, StageRows> stages;
  std::map<std::uint32_t, std::map<RowIdentity, std::uint32_t>> numbers;
  for (const auto& [step, of_step] : rows)
    for (const TypedOperation& row : of_step) {  // Of a rank one after the other.
      const std::uint32_t stage = ranks[row.first.rank].stage;
      StageRows& of = stages[stage];
      const auto [found, added] = numbers[stage].emplace(
          row_identity(row), static_cast<std::uint32_t>(of.identities.size()));
      if (added)
        of.identities.push_back(found->first);
      if (of.cells.empty() || of.cells.back().step != step ||
          of.cells.back().rank != row.first.rank)
        of.cells.push_back({.rank = row.first.rank, .step = step});
      std::vector<const JobOperation*>& there = of.cells.back().rows;
      there.resize(std::max<std::size_t>(there.size(), found->second + 1));
      there[found->second] = &row.first;
    }
  for (auto& [number, stage] : stages)
    for (RankRows& cell : stage.cells)
      cell.rows.resize(stage.identities.size());
  return stages;
}

/// By identity, whether more than half of the ranks and steps of a stage have it.
std::vector<bool> usual_rows(const StageRows& stage) {
  std::vector<std::size_t> counts(stage.identities.size());
  for (const RankRows& cell : stage.cells)
    for (std::size_t i = 0; i < cell.rows.size(); ++i)
      counts[i] += cell.rows[i] != nullptr ? 1 : 0;
  std::vector<bool> usual;
  for (const std::size_t count : counts)
    usual.push_back(2 * count > stage.cells.size());
  return usual;
}

struct Share {
  std::size_t there = 0;
  std::size_t usual = 0;
};

}  // namespace

RowIdentity row_identity(const TypedOperation& row) {
  return {row.second, row.first.sequence, row.first.micro_batch, row.first.chunk};
}

std::map<std::uint32_t, StageRows> stage_rows(const RowsByStep& rows,
                                              const std::vector<JobRank>& ranks,
                                              const std::vector<OperationType>& types) {
  std::map<std::uint32_t, StageRows> stages = gather(rows, ranks);
  std::map<std::uint32_t, std::vector<bool>> usual;
  std::map<std::int64_t, std::map<Alike, Share>> shares;  // By step.
  for (const auto& [number, stage] : stages) {
    const std::vector<bool>& of_stage = usual[number] = usual_rows(stage);
    for (const RankRows& cell : stage.cells)
      for (std::size_t i = 0; i < cell.rows.size(); ++i)
        if (of_stage[i]) {
          Share& share = shares[cell.step][alike_of(stage.identities[i], types)];
          ++share.usual;
          share.there += cell.rows[i] != nullptr ? 1 : 0;
        }
  }
  for (auto& [number, stage] : stages)
    for (RankRows& cell : stage.cells) {
      std::size_t all = 0;
      for (std::uint32_t i = 0; i < cell.rows.size(); ++i) {
        if (!usual[number][i])
          continue;
        ++all;
        const Share& share = shares[cell.step][alike_of(stage.identities[i], types)];
        if (cell.rows[i] == nullptr && 2 * share.there >= share.usual)
          cell.lost.push_back(i);
      }
      cell.too_few = 2 * cell.lost.size() > all;
    }
  return stages;
}

}  // namespace stepcast
