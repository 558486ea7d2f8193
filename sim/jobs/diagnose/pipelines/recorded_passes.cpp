#include "sim/jobs/diagnose/pipelines/recorded_passes.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

void require_stages(const Job& job) {
  for (std::uint32_t stage = 0; stage < job.stages; ++stage)
    if (std::ranges::count(job.ranks, stage, &JobRank::stage) == 0)
      throw InputError(
          fmt::format("{}: expected a rank of each of {} stages, found none of stage {}", job.name,
                      job.stages, stage));
}

/// Of a rank in a step, as far as passes say theirs; 0: they do not.
std::size_t micro_batches_of(const JobStep& step, std::uint32_t rank, const Job& job) {
  std::set<std::pair<std::uint16_t, std::int32_t>> passes;
  std::set<std::uint16_t> chunks;
  for (const JobOperation& done : step.operations)
    if (done.rank == rank && done.micro_batch >= 0 &&
        job.kinds[done.kind].work == JobWork::Forward) {
      passes.emplace(done.chunk, done.micro_batch);
      chunks.insert(done.chunk);
    }
  return passes.size() / std::max<std::size_t>(chunks.size(), 1);
}

/// A pass that is not recorded in one of the steps does no harm.
void require_equal_copies(const Job& job) {
  for (std::uint32_t rank = 0; rank < job.ranks.size() && !job.profiled; ++rank) {
    std::size_t most = 0;
    for (const JobStep& step : job.steps)
      most = std::max(most, micro_batches_of(step, rank, job));
    if (most > 0 && most != job.shape.micro_batches)
      throw InputError(fmt::format(
          "{}: expected {} micro-batches in a step of every rank, as the others have, found {} of "
          "rank {}: forecasts give all copies as many",
          job.name, job.shape.micro_batches, most, job.ranks[rank].number));
  }
}

/// Without them a rank that waits for another stage would seem to wait for its host.
void require_messages(const Job& job) {
  std::vector<bool> linked(job.stages);
  for (const JobStep& step : job.steps)
    for (const JobMeeting& meeting : step.meetings) {
      std::set<std::uint32_t> stages;
      for (const std::uint32_t member : meeting.members)
        stages.insert(job.ranks[step.operations[member].rank].stage);
      const bool message =
          job.kinds[step.operations[meeting.members.front()].kind].purpose == JobPurpose::Message;
      if (message && stages.size() == 2 && *stages.begin() + 1 == *stages.rbegin())
        linked[*stages.begin()] = true;
    }
  for (std::uint32_t stage = 0; stage + 1 < job.stages; ++stage)
    if (!linked[stage])
      throw InputError(
          fmt::format("{}: expected messages (sends and receives) between stages {} and {}, found "
                      "none whose two ends belong together: waiting for another stage would count "
                      "as a delay of the host",
                      job.name, stage, stage + 1));
}

bool alternates(const Job& job, std::uint32_t rank) {
  Seconds backward{1e300};
  Seconds forward{-1e300};
  for (const JobOperation& done : job.steps.front().operations) {
    const JobWork work = job.kinds[done.kind].work;
    if (done.rank == rank && work == JobWork::Backward)
      backward = std::min(backward, done.begin);
    else if (done.rank == rank && work == JobWork::Forward)
      forward = std::max(forward, done.begin);
  }
  return backward < forward;
}

}  // namespace

// Of profiles a sum is told by its kind alone.
void refuse_profiled_groups(const Job& job) {
  const std::uint32_t tensor = std::max(job.shape.tensor, 1U);
  const std::uint32_t context = std::max(job.shape.context, 1U);
  if (job.profiled && tensor * context > 1)
    throw InputError(
        fmt::format("{}: expected profiles of a job with tp = 1 and cp = 1, in which collectives "
                    "within passes would be taken for sums of gradients; found tp = {}, cp = {}",
                    job.name, tensor, context));
}

void check_recorded_passes(const Job& job) {
  if (job.shape.micro_batches == 0)
    throw InputError(
        fmt::format("{}: expected micro_batches, of a step of one copy, in the job file: these "
                    "traces do not say",
                    job.name));
  require_stages(job);
  require_equal_copies(job);
  require_messages(job);
}

bool passes_alternate(const Job& job) {
  bool any = job.shape.micro_batches == 1;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
    any = any || (job.ranks[rank].stage + 1 == job.stages && alternates(job, rank));
  return any;
}

}  // namespace stepcast
