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

bool is_compared(const JobKind& kind, bool transfers) {
  return kind.work != JobWork::Host && !kind.copies && kind.purpose != JobPurpose::Message &&
         (kind.work == JobWork::Transfer) == transfers;
}

/// Of transfers, or of all else.
std::vector<RankWork> works_of(const Job& job, bool transfers) {
  std::vector<RankWork> works(job.ranks.size());
  for (RankWork& work : works)
    work.counts.resize(job.kinds.size());
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      if (is_compared(job.kinds[done.kind], transfers)) {
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

/// How often a rank ran something in a step.
struct Often {
  std::size_t usual = 0;  ///< Median.
  std::size_t most = 0;
};

/// Of collectives of all ranks, by kind and rank. Cost: one look at each operation.
using Frequencies = std::map<std::uint16_t, std::vector<Often>>;

Frequencies how_often(const Job& job) {
  const auto is_of_all = [&](const JobKind& kind) {
    return kind.work == JobWork::Transfer && kind.ranks == job.gpus &&
           kind.purpose != JobPurpose::Message;
  };
  using OfRank = std::pair<std::uint16_t, std::uint32_t>;
  std::map<OfRank, std::vector<std::size_t>> counts;  // In steps with any.
  for (const JobStep& step : job.steps) {
    std::map<OfRank, std::size_t> of_step;
    for (const JobOperation& done : step.operations)
      if (is_of_all(job.kinds[done.kind]))
        ++of_step[{done.kind, done.rank}];
    for (const auto& [of, count] : of_step)
      counts[of].push_back(count);
  }
  Frequencies often;
  for (auto& [of, in_steps] : counts) {
    in_steps.resize(job.steps.size());
    std::ranges::sort(in_steps);
    auto& of_kind = often.try_emplace(of.first, job.ranks.size()).first->second;
    of_kind[of.second] = {in_steps[in_steps.size() / 2], in_steps.back()};
  }
  return often;
}

/// Whether a rank cannot have taken part in what all others did: losses do not explain it.
bool is_foreign(const std::vector<Often>& often, std::size_t rank) {
  std::size_t most_of_others = 0;
  std::size_t least_usual_of_others = often[rank].most + 1;
  for (std::size_t other = 0; other < often.size(); ++other)
    if (other != rank) {
      most_of_others = std::max(most_of_others, often[other].most);
      least_usual_of_others = std::min(least_usual_of_others, often[other].usual);
    }
  return often[rank].usual > most_of_others || often[rank].most < least_usual_of_others;
}

/// What all ranks take part in they run equally often.
void refuse_other_collectives(const Job& job) {
  constexpr std::size_t kFewestSteps = 5;
  if (job.steps.size() < kFewestSteps || job.ranks.size() < 2)
    return;
  for (const auto& [kind, often] : how_often(job))
    for (std::size_t rank = often.size(); rank-- > 0;)
      if (is_foreign(often, rank))
        throw InputError(fmt::format(
            "{}: expected {} as often in a step as on the other ranks, {} times, found {}: "
            "ranks of two jobs?",
            job.ranks[rank].origin, job.kinds[kind].name, often[rank == 0 ? 1 : 0].usual,
            often[rank].usual));
}

}  // namespace

void refuse_foreign_ranks(Job& job) {
  refuse_other_collectives(job);
  const auto sends = [](const JobKind& kind) { return kind.purpose == JobPurpose::Message; };
  if (job.shape.pipeline == 0 && std::ranges::any_of(job.kinds, sends))
    return;
  for (const bool transfers : {true, false}) {
    const std::vector<RankWork> works = works_of(job, transfers);
    std::map<std::uint32_t, std::size_t> first;  // Of each stage.
    for (std::size_t rank = 0; rank < works.size(); ++rank) {
      const std::size_t other = first.emplace(job.ranks[rank].stage, rank).first->second;
      const std::size_t most = std::max(works[rank].all, works[other].all);
      const std::size_t common = in_common(works[rank], works[other]);
      if (2 * common >= most)
        continue;
      const std::string found = fmt::format("{} of {} in common", common, most);
      if (transfers)
        throw InputError(
            fmt::format("{}: expected the collectives of {}, whose stage it shares, found {}: "
                        "ranks of two jobs?",
                        job.ranks[rank].origin, job.ranks[other].origin, found));
      if (job.unlike.empty())
        job.unlike = fmt::format("rank {} has other kernels than rank {} ({})",
                                 job.ranks[rank].number, job.ranks[other].number, found);
    }
  }
}

}  // namespace stepcast
