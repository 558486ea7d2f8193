#include "sim/jobs/diagnose/missing_ranks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stepcast {
namespace {

/// Of a table: whole stages, whole data-parallel ranks, and single places of the others.
std::vector<std::string> missing_places(const Job& job) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> recorded;
  std::set<std::uint32_t> stages;
  for (const JobRank& rank : job.ranks) {
    recorded.emplace(rank.stage, rank.data);
    stages.insert(rank.stage);
  }
  std::vector<std::string> names;
  for (std::uint32_t stage = 0; stage < job.stages; ++stage)
    if (!stages.contains(stage))
      names.push_back(fmt::format("stage {}", stage));
  for (const std::uint32_t data : job.data_ranks) {
    if (std::ranges::find(job.ranks, data, &JobRank::data) == job.ranks.end()) {
      names.push_back(fmt::format("dp_rank {}", data));
      continue;
    }
    for (const std::uint32_t stage : stages)
      if (!recorded.contains({stage, data}))
        names.push_back(fmt::format("stage {}, dp_rank {}", stage, data));
  }
  return names;
}

/// Runs of numbers.
std::vector<std::string> missing_numbers(const Job& job) {
  std::set<std::uint32_t> recorded;
  for (const JobRank& rank : job.ranks)
    if (!rank.serves)
      recorded.insert(rank.number);
  recorded.insert(job.gpus);
  std::vector<std::string> names;
  std::uint32_t first = 0;
  for (const std::uint32_t number : recorded) {
    if (first + 1 == number)
      names.push_back(fmt::format("rank {}", first));
    else if (first < number)
      names.push_back(fmt::format("ranks {}-{}", first, number - 1));
    first = number + 1;
  }
  return names;
}

bool any_of_work(const Job& job, JobWork work) {
  return std::ranges::any_of(job.kinds, [&](const JobKind& kind) { return kind.work == work; });
}

bool any_messages(const Job& job) {
  return std::ranges::any_of(
      job.kinds, [](const JobKind& kind) { return kind.purpose == JobPurpose::Message; });
}

}  // namespace

std::string missing_work(const Job& job) {
  const bool is_table = job.places > 0;
  const bool forward = any_of_work(job, JobWork::Forward);
  const bool backward = any_of_work(job, JobWork::Backward);
  if (is_table && job.stages > 1 && !any_messages(job))
    return "messages between stages";
  if (is_table && forward != backward)
    return forward ? "backward passes" : "forward passes";
  return "";
}

std::vector<std::uint32_t> ranks_without(const Job& job, JobWork pass) {
  if (job.places == 0)
    return {};
  std::vector<bool> ran(job.ranks.size());
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      if (job.kinds[done.kind].work == pass)
        ran[done.rank] = true;
  std::vector<std::uint32_t> without;
  for (std::uint32_t rank = 0; rank < ran.size(); ++rank)
    if (!ran[rank])
      without.push_back(rank);
  return without.size() < ran.size() ? without : std::vector<std::uint32_t>();
}

std::uint32_t data_groups(const Job& job) {
  if (job.places > 0)
    return job.places / job.stages;
  const std::uint64_t of_group =
      std::uint64_t{job.stages} * std::max(job.shape.tensor, 1U) * std::max(job.shape.context, 1U);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, job.gpus / of_group));
}

MissingRanks missing_ranks(const Job& job) {
  const std::size_t expected = job.places > 0 ? job.places : job.gpus;
  return {.expected = expected,
          .at_least = job.has_more,
          .names = job.places > 0 ? missing_places(job) : missing_numbers(job)};
}

std::string in_words(const MissingRanks& missing, std::size_t recorded) {
  constexpr std::size_t kMostNames = 4;
  const std::size_t shown = std::min(missing.names.size(), kMostNames);
  const std::vector<std::string> names(missing.names.begin(),
                                       missing.names.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::size_t expected = std::max(missing.expected, recorded + (missing.at_least ? 1 : 0));
  const std::string which =
      names.empty() ? "" : fmt::format("; missing: {}", fmt::join(names, "; "));
  const std::size_t more = missing.names.size() - shown;
  return fmt::format("Of {}{} rank{} {} {} recorded{}{}.", missing.at_least ? "at least " : "",
                     expected, expected == 1 ? "" : "s", recorded, recorded == 1 ? "is" : "are",
                     which, more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace stepcast
