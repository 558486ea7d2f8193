#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "traces/job/rows/table_rows.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kFew = 4;  // A quarter of the usual count is too few.

/// What no two operations of a step share.
auto identity_of(const TypedOperation& row) {
  const JobOperation& done = row.first;
  return std::tuple(done.rank, row.second, done.sequence, done.chunk, done.micro_batch);
}

/// Of rows that are there twice the first counts. Returns how many others were not the same.
std::size_t leave_out_twins(std::int64_t step, std::vector<TypedOperation>& rows,
                            ImportReport& report) {
  std::ranges::stable_sort(rows, {}, [](const TypedOperation& row) {
    return std::tuple(identity_of(row), row.first.begin, row.first.end);
  });
  std::size_t differing = 0;
  const auto is_twin = [&](const TypedOperation& one, const TypedOperation& other) {
    if (identity_of(one) != identity_of(other))
      return false;
    const bool same = one.first.begin == other.first.begin && one.first.end == other.first.end;
    differing += same ? 0 : 1;
    report.skip(
        same ? "row that is there twice" : "row of an operation that is there with other times",
        fmt::format("step {}", step));
    return true;
  };
  rows.erase(std::unique(rows.begin(), rows.end(), is_twin), rows.end());
  std::ranges::stable_sort(rows, {}, [](const TypedOperation& row) {
    return std::tuple(row.first.rank, row.first.begin, row.first.end);
  });
  return differing;
}

/// Rows of a rank that lie far from all its others: by a hundred times as long as the step takes
/// the quickest rank of which most rows are there.
void leave_out_far(std::int64_t step, std::vector<TypedOperation>& rows,
                   const std::vector<JobRank>& ranks, ImportReport& report) {
  constexpr double kFar = 100;
  std::vector<std::vector<double>> begins(ranks.size());
  std::vector<double> last(ranks.size(), -INFINITY);
  for (const auto& [done, type] : rows) {
    begins[done.rank].push_back(done.begin.value);  // Ascending.
    last[done.rank] = std::max(last[done.rank], done.end.value);
  }
  std::size_t most = 0;
  for (const std::vector<double>& of_rank : begins)
    most = std::max(most, of_rank.size());
  double quickest = INFINITY;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (2 * begins[rank].size() > most)
      quickest = std::min(quickest, last[rank] - begins[rank].front());
  std::erase_if(rows, [&](const TypedOperation& row) {
    const std::vector<double>& of_rank = begins[row.first.rank];
    const double middle = of_rank[of_rank.size() / 2];
    const bool is_far = middle - row.first.begin.value > kFar * quickest ||
                        row.first.end.value - middle > kFar * quickest;
    if (is_far && quickest > 0)
      report.skip("row whose times are far from all others of its rank",
                  fmt::format("rank {}, step {}", label_of(ranks[row.first.rank]), step));
    return is_far && quickest > 0;
  });
}

/// Computation during which its rank computes others from begin to end: three at least, as short
/// ones may run beside it.
void leave_out_covering(std::int64_t step, std::vector<TypedOperation>& rows,
                        const std::vector<JobRank>& ranks, const std::vector<OperationType>& types,
                        ImportReport& report) {
  constexpr std::size_t kMost = 2;
  const auto computes = [&](const TypedOperation& row) { return is_pass(row, types); };
  std::vector<bool> covering(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t covered = 0;
    for (std::size_t next = i + 1; next < rows.size() && covered <= kMost; ++next) {
      if (rows[next].first.rank != rows[i].first.rank ||
          rows[next].first.begin >= rows[i].first.end)
        break;
      if (computes(rows[next]) && rows[next].first.end < rows[i].first.end)
        ++covered;
    }
    covering[i] = computes(rows[i]) && covered > kMost;
  }
  std::size_t place = 0;
  std::erase_if(rows, [&](const TypedOperation& row) {
    const bool covers = covering[place++];
    if (covers)
      report.skip("pass during which its rank computes others",
                  fmt::format("rank {}, step {}", label_of(ranks[row.first.rank]), step));
    return covers;
  });
}

/// Micro-batches with less than a quarter of the usual number of passes.
std::set<std::int32_t> odd_micro_batches(const RowsByStep& rows,
                                         const std::vector<OperationType>& types) {
  std::map<std::int32_t, std::size_t> passes;
  for (const auto& [step, of_step] : rows)
    for (const TypedOperation& row : of_step)
      if (is_pass(row, types))
        ++passes[row.first.micro_batch];
  std::vector<double> counts;
  for (const auto& [micro_batch, count] : passes)
    counts.push_back(static_cast<double>(count));
  std::set<std::int32_t> odd;
  for (const auto& [micro_batch, count] : passes)
    if (kFew * static_cast<double>(count) < median_of(counts))
      odd.insert(micro_batch);
  return odd;
}

void leave_out_micro_batches(const std::set<std::int32_t>& odd, RowsByStep& rows,
                             const std::vector<OperationType>& types, ImportReport& report) {
  if (odd.empty())
    return;
  for (auto& [step, of_step] : rows)
    std::erase_if(of_step, [&, number = step](const TypedOperation& row) {
      const bool is_odd = is_pass(row, types) && odd.contains(row.first.micro_batch);
      if (is_odd)
        report.skip("pass of a micro-batch that hardly any rank has",
                    fmt::format("micro-batch {} in step {}", row.first.micro_batch, number));
      return is_odd;
    });
}

/// Ranks of a stage run as many passes in a step; where a stage has one rank, all ranks.
std::size_t doubt_missing_passes_of(std::int64_t step, const std::vector<TypedOperation>& rows,
                                    const std::vector<JobRank>& ranks,
                                    const std::vector<OperationType>& types, ImportReport& report) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> passes;  // By stage, then rank.
  for (const TypedOperation& row : rows) {
    std::size_t& count = passes[ranks[row.first.rank].stage][row.first.rank];
    count += is_pass(row, types) ? 1 : 0;
  }
  std::size_t all_lost = 0;
  std::size_t most_of_all = 0;
  for (const auto& [stage, of_stage] : passes)
    for (const auto& [rank, count] : of_stage)
      most_of_all = std::max(most_of_all, count);
  for (const auto& [stage, of_stage] : passes) {
    std::size_t most = of_stage.size() == 1 ? most_of_all : 0;
    for (const auto& [rank, count] : of_stage)
      most = std::max(most, count);
    for (const auto& [rank, count] : of_stage)
      for (std::size_t lost = count; lost < most; ++lost, ++all_lost)
        report.doubt("pass that is missing: other ranks ran it in the step",
                     fmt::format("rank {}, step {}", label_of(ranks[rank]), step));
  }
  return all_lost;
}

/// By rank, from all of its steps.
std::vector<std::uint32_t> micro_batches_of(const RowsByStep& rows, std::size_t ranks,
                                            const std::vector<OperationType>& types) {
  std::vector<std::uint32_t> counts(ranks);
  for (const auto& [step, of_step] : rows)
    for (const TypedOperation& row : of_step)
      if (is_pass(row, types))
        counts[row.first.rank] =
            std::max(counts[row.first.rank], static_cast<std::uint32_t>(row.first.micro_batch + 1));
  return counts;
}

}  // namespace

bool is_pass(const TypedOperation& row, const std::vector<OperationType>& types) {
  const JobWork work = types[row.second].work;
  return row.first.micro_batch >= 0 && (work == JobWork::Forward || work == JobWork::Backward);
}

void leave_out_stray_ranks(RowsByStep& rows, std::vector<JobRank>& ranks, ImportReport& report) {
  constexpr double kStray = 100;
  std::vector<double> counts(ranks.size());
  for (const auto& [step, of_step] : rows)
    for (const auto& [done, type] : of_step)
      ++counts[done.rank];
  const double usual = median_of(counts);
  std::vector<std::uint32_t> place;
  std::vector<JobRank> kept;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    place.push_back(static_cast<std::uint32_t>(kept.size()));
    if (kStray * counts[rank] >= usual)
      kept.push_back(ranks[rank]);
    else
      report.skip("rank with hardly any row", fmt::format("rank {}", ranks[rank].number));
  }
  for (auto& [step, of_step] : rows) {
    std::erase_if(of_step, [&](const TypedOperation& row) {
      return kStray * counts[row.first.rank] < usual;
    });
    for (auto& [done, type] : of_step)
      done.rank = place[done.rank];
  }
  ranks = std::move(kept);
}

std::uint32_t leave_out_odd_rows(RowsByStep& rows, const std::vector<JobRank>& ranks,
                                 const std::vector<OperationType>& types, const std::string& origin,
                                 ImportReport& report) {
  std::size_t all = 0;
  std::size_t differing = 0;
  for (auto& [step, of_step] : rows) {
    all += of_step.size();
    differing += leave_out_twins(step, of_step, report);
    leave_out_far(step, of_step, ranks, report);
    leave_out_covering(step, of_step, ranks, types, report);
  }
  if (kFew * differing > all)
    throw InputError(
        fmt::format("{}: expected each operation of a job once, found {} of {} rows "
                    "with other times than an earlier one: of a second job?",
                    origin, differing, all));
  leave_out_micro_batches(odd_micro_batches(rows, types), rows, types, report);
  const std::vector<std::uint32_t> counts = micro_batches_of(rows, ranks.size(), types);
  const auto [least, most] = std::ranges::minmax_element(counts);
  // So many may be lost: all passes of a micro-batch in every step.
  if (*least > 0 && *least + std::max(1U, *most / kFew) < *most)
    throw InputError(fmt::format(
        "{}: expected as many micro-batches on each rank of a job, found {} on rank {} and {} on "
        "rank {}: of a second job, or cut off?",
        origin, *least, label_of(ranks[static_cast<std::size_t>(least - counts.begin())]), *most,
        label_of(ranks[static_cast<std::size_t>(most - counts.begin())])));
  return *most;
}

std::size_t doubt_missing_passes(const RowsByStep& rows, const std::vector<JobRank>& ranks,
                                 const std::vector<OperationType>& types, ImportReport& report) {
  std::size_t lost = 0;
  for (const auto& [step, of_step] : rows)
    lost += doubt_missing_passes_of(step, of_step, ranks, types, report);
  return lost;
}

}  // namespace stepcast
