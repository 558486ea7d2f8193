#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "traces/job/medians.hpp"
#include "traces/job/rows/table_rows.hpp"

// Cost: for each lost row 64 steps are looked at, of each some 16 rows; n log n in all rows else.
namespace stepcast {

namespace {

// Cost: a look-up for each row, and a bit for each identity of each rank in each step.

/// What an operation of a rank is, the same in each step: type, sequence, micro-batch, chunk.
using RowIdentity = std::tuple<std::uint16_t, std::uint32_t, std::int32_t, std::uint16_t>;

RowIdentity row_identity(const TypedOperation& row) {
  return {row.second, row.first.sequence, row.first.micro_batch, row.first.chunk};
}

/// The rows of a rank in a step, by the number of their identity; null: not there.
struct RankRows {
  std::uint32_t rank = 0;  ///< Into Job::ranks.
  std::int64_t step = 0;
  std::vector<const JobOperation*> rows;
  std::vector<std::uint32_t> lost;  ///< Identities.
  bool too_few = false;             ///< Are there for the others to tell when these ran.
};

/// What the ranks of a stage run, step by step.
struct StageRows {
  std::vector<RowIdentity> identities;
  std::vector<RankRows> cells;  ///< By step, then rank.
};

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

/// By stage, with what is lost: what most ranks of the stage run in most steps, if half of the
/// ranks (of all stages) that usually run such have it in the step. Too few are there where these
/// are less than half of a rank's rows: it recorded no more. Rows must outlive the result.
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

constexpr std::size_t kFewest = 3;  // That tell a spread.

/// Seconds, and half of what tells it lies within the spread.
struct Estimate {
  double value = 0;
  double spread = INFINITY;
};

Estimate estimate_of(const std::vector<double>& values) {
  if (values.size() < kFewest)
    return {};
  const double middle = middle_of(values);
  std::vector<double> apart;
  for (const double value : values)
    apart.push_back(std::abs(value - middle));
  return {middle, middle_in_place(apart)};
}

class StageRestorer {
 public:
  StageRestorer(const StageRows& stage, const std::vector<OperationType>& types)
      : stage_(stage), types_(types) {
    if (std::ranges::any_of(stage.cells, [](const RankRows& cell) { return !cell.lost.empty(); }))
      find_order();
  }

  /// None: too few ranks and steps have it.
  std::optional<JobOperation> restored(const RankRows& cell, std::uint32_t lost);

 private:
  using Rows = std::vector<const RankRows*>;

  void find_order();
  Rows samples_of(std::uint32_t rank, std::uint32_t lost) const;
  std::vector<std::uint32_t> neighbours_of(const RankRows& cell, std::uint32_t lost) const;
  Estimate time_of(Seconds JobOperation::*time, const RankRows& cell, std::uint32_t lost,
                   const Rows& samples) const;
  Estimate length_of(const RankRows& cell, std::uint32_t lost) const;

  const StageRows& stage_;
  const std::vector<OperationType>& types_;
  std::vector<std::uint32_t> order_;  // Identities by when they usually begin.
  std::vector<std::size_t> places_;   // In the order.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Rows> samples_;  // By rank and identity.
};

void StageRestorer::find_order() {
  std::vector<std::vector<double>> begins(stage_.identities.size());
  for (const RankRows& cell : stage_.cells) {
    double first = INFINITY;
    for (const JobOperation* row : cell.rows)
      first = row != nullptr ? std::min(first, row->begin.value) : first;
    for (std::size_t i = 0; i < cell.rows.size(); ++i)
      if (cell.rows[i] != nullptr)
        begins[i].push_back(cell.rows[i]->begin.value - first);
  }
  std::vector<double> usual;
  for (std::vector<double>& of : begins)
    usual.push_back(middle_in_place(of));
  for (std::uint32_t i = 0; i < usual.size(); ++i)
    order_.push_back(i);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return usual[i]; });
  places_.resize(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place)
    places_[order_[place]] = place;
}

/// Where it is there: the rank's own if these are enough, of many some at equal distance.
StageRestorer::Rows StageRestorer::samples_of(std::uint32_t rank, std::uint32_t lost) const {
  constexpr std::size_t kEnough = 5;
  constexpr std::size_t kMost = 64;
  Rows own;
  Rows all;
  for (const RankRows& cell : stage_.cells)
    if (cell.rows[lost] != nullptr) {
      all.push_back(&cell);
      if (cell.rank == rank)
        own.push_back(&cell);
    }
  const Rows& from = own.size() >= kEnough ? own : all;
  Rows samples;
  const std::size_t stride = (from.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < from.size(); i += stride)
    samples.push_back(from[i]);
  return samples;
}

/// The rows that are there and next to it in the usual order.
std::vector<std::uint32_t> StageRestorer::neighbours_of(const RankRows& cell,
                                                        std::uint32_t lost) const {
  constexpr std::size_t kEachSide = 8;
  std::vector<std::uint32_t> neighbours;
  const auto add = [&](std::size_t place) {
    if (cell.rows[order_[place]] != nullptr)
      neighbours.push_back(order_[place]);
  };
  for (std::size_t place = places_[lost]; place-- > 0 && neighbours.size() < kEachSide;)
    add(place);
  const std::size_t before = neighbours.size();
  for (std::size_t place = places_[lost] + 1;
       place < order_.size() && neighbours.size() < before + kEachSide; ++place)
    add(place);
  return neighbours;
}

Estimate StageRestorer::time_of(Seconds JobOperation::*time, const RankRows& cell,
                                std::uint32_t lost, const Rows& samples) const {
  Estimate best;
  std::vector<double> distances;
  for (const std::uint32_t other : neighbours_of(cell, lost))
    for (const auto anchor : {&JobOperation::begin, &JobOperation::end}) {
      distances.clear();
      for (const RankRows* sample : samples)
        if (const JobOperation* there = sample->rows[other])
          distances.push_back((sample->rows[lost]->*time - there->*anchor).value);
      const Estimate distance = estimate_of(distances);
      if (distance.spread < best.spread)
        best = {(cell.rows[other]->*anchor).value + distance.value, distance.spread};
    }
  return best;
}

/// Of computation of its kind in the step. Transfers wait for others, each by itself.
Estimate StageRestorer::length_of(const RankRows& cell, std::uint32_t lost) const {
  std::vector<double> lengths;
  if (types_[std::get<0>(stage_.identities[lost])].work == JobWork::Transfer)
    return {};
  for (std::size_t i = 0; i < cell.rows.size(); ++i)
    if (cell.rows[i] != nullptr &&
        std::get<0>(stage_.identities[i]) == std::get<0>(stage_.identities[lost]) &&
        std::get<3>(stage_.identities[i]) == std::get<3>(stage_.identities[lost]))
      lengths.push_back((cell.rows[i]->end - cell.rows[i]->begin).value);
  return estimate_of(lengths);
}

std::optional<JobOperation> StageRestorer::restored(const RankRows& cell, std::uint32_t lost) {
  const auto [known, added] = samples_.try_emplace({cell.rank, lost});
  if (added)
    known->second = samples_of(cell.rank, lost);
  const Rows& samples = known->second;
  Estimate begin = time_of(&JobOperation::begin, cell, lost, samples);
  Estimate end = time_of(&JobOperation::end, cell, lost, samples);
  if (!std::isfinite(begin.spread) || !std::isfinite(end.spread))
    return std::nullopt;
  const Estimate length = length_of(cell, lost);
  if (begin.spread + length.spread < end.spread)
    end.value = begin.value + length.value;
  else if (end.spread + length.spread < begin.spread)
    begin.value = end.value - length.value;
  const auto& [type, sequence, micro_batch, chunk] = stage_.identities[lost];
  return JobOperation{.rank = cell.rank,
                      .chunk = chunk,
                      .micro_batch = micro_batch,
                      .sequence = sequence,
                      .restored = true,
                      .begin = Seconds{begin.value},
                      .end = Seconds{std::max(begin.value, end.value)}};
}

}  // namespace

RestoredRows restore_rows(RowsByStep& rows, const std::vector<JobRank>& ranks,
                          const std::vector<OperationType>& types, ImportReport& report) {
  RestoredRows counts;
  RowsByStep restored;
  for (const auto& [number, stage] : stage_rows(rows, ranks, types)) {
    StageRestorer restorer(stage, types);
    for (const RankRows& cell : stage.cells)
      for (const std::uint32_t lost : cell.lost)
        if (const auto row = cell.too_few ? std::nullopt : restorer.restored(cell, lost)) {
          restored[cell.step].emplace_back(*row, std::get<0>(stage.identities[lost]));
          report.doubt("row that is lost, restored from what its rank ran in other steps",
                       fmt::format("rank {}, step {}", label_of(ranks[cell.rank]), cell.step));
        } else {
          const auto& [type, sequence, micro_batch, chunk] = stage.identities[lost];
          counts.lost += is_pass({{.micro_batch = micro_batch}, type}, types) ? 0 : 1;
        }
  }
  for (const auto& [step, of_step] : restored) {
    std::vector<TypedOperation>& all = rows[step];
    all.insert(all.end(), of_step.begin(), of_step.end());
    std::ranges::stable_sort(all, {}, [](const TypedOperation& row) {
      return std::tuple(row.first.rank, row.first.begin, row.first.end);
    });
    counts.restored += of_step.size();
  }
  return counts;
}

}  // namespace stepcast
