#include "traces/job/foreign_ranks.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// Operations of a rank by kind, in all steps.
struct RankWork {
  std::vector<std::size_t> counts;
  std::size_t all = 0;
};

bool is_compared(const JobKind& kind) {
  return kind.work != JobWork::Host && !kind.copies && kind.purpose != JobPurpose::Message;
}

std::vector<RankWork> works_of(const Job& job) {
  std::vector<RankWork> works(job.ranks.size());
  for (RankWork& work : works)
    work.counts.resize(job.kinds.size());
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      if (is_compared(job.kinds[done.kind])) {
        ++works[done.rank].counts[done.kind];
        ++works[done.rank].all;
      }
  return works;
}

std::size_t in_common(const RankWork& one, const RankWork& other) {
  std::size_t common = 0;
  for (std::size_t kind = 0; kind < one.counts.size(); ++kind)
    common += std::min(one.counts[kind], other.counts[kind]);
  return common;
}

}  // namespace

void refuse_foreign_ranks(const Job& job) {
  const auto sends = [](const JobKind& kind) { return kind.purpose == JobPurpose::Message; };
  if (job.shape.pipeline == 0 && std::ranges::any_of(job.kinds, sends))
    return;
  const std::vector<RankWork> works = works_of(job);
  std::map<std::uint32_t, std::size_t> first;  // Of each stage.
  for (std::size_t rank = 0; rank < works.size(); ++rank) {
    const std::size_t other = first.emplace(job.ranks[rank].stage, rank).first->second;
    const std::size_t most = std::max(works[rank].all, works[other].all);
    const std::size_t common = in_common(works[rank], works[other]);
    if (2 * common < most)
      throw InputError(fmt::format(
          "{}: expected the kernels and collectives of {}, whose stage it shares, found {} of {} "
          "in common: ranks of two jobs?",
          job.ranks[rank].origin, job.ranks[other].origin, common, most));
  }
}

}  // namespace stepcast
