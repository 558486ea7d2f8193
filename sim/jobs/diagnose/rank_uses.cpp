#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "sim/jobs/counted_delays.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/job_pace.hpp"

namespace stepcast {
namespace {

/// What a rank may do at an instant, the first counts.
enum class Doing : std::uint8_t { Compute, Transfer, Copy, Wait, Delay };
constexpr std::size_t kDoings = 5;

/// Something begins (+1) or ends (-1).
struct Change {
  double at = 0;
  Doing doing = Doing::Compute;
  int by = 0;
};

/// The changes of one rank in one step, and what follows from them.
class RankSweep {
 public:
  explicit RankSweep(double end) : end_(end) {}

  void add(Doing doing, double begin, double end) {
    begin = std::clamp(begin, 0.0, end_);
    end = std::clamp(end, 0.0, end_);
    if (end <= begin)
      return;
    changes_.push_back({begin, doing, 1});
    changes_.push_back({end, doing, -1});
  }

  void add_to(RankUse& use) {
    std::ranges::sort(changes_, {}, &Change::at);
    std::array<int, kDoings> running{};
    double before = 0;
    for (const Change& change : changes_) {
      add_piece(running, change.at - before, use);
      running[static_cast<std::size_t>(change.doing)] += change.by;
      before = change.at;
    }
    add_piece(running, end_ - before, use);
  }

 private:
  static void add_piece(const std::array<int, kDoings>& running, double length, RankUse& use) {
    const Seconds time{length};
    const auto is = [&](Doing doing) { return running[static_cast<std::size_t>(doing)] > 0; };
    if (is(Doing::Transfer))
      use.communicating += time;
    if (is(Doing::Copy))
      use.copies += time;
    if (is(Doing::Compute))
      use.computing += time;
    else if (is(Doing::Transfer))
      use.exposed += time;
    else if (is(Doing::Copy))
      use.copies_alone += time;
    else if (is(Doing::Wait))
      use.waiting += time;
    else if (is(Doing::Delay))
      use.idle_for_host += time;
    else
      use.other += time;
  }

  double end_;
  std::vector<Change> changes_;
};

Doing doing_of(const JobKind& kind) {
  if (kind.copies)
    return Doing::Copy;
  return kind.work == JobWork::Transfer ? Doing::Transfer : Doing::Compute;
}

/// Where the time of a rank goes in a recorded step: see rank_uses().
void add_rank_times(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses) {
  const Job& job = replay.job();
  double end = 0;
  for (const JobOperation& done : job.steps[step].operations)
    end = std::max(end, done.end.value);
  std::vector<Doing> doings;
  for (const JobKind& kind : job.kinds)
    doings.push_back(doing_of(kind));
  std::vector<RankSweep> sweeps(uses.size(), RankSweep(end));
  for (std::uint32_t place = 0; place < job.steps[step].operations.size(); ++place) {
    const JobOperation& done = job.steps[step].operations[place];
    RankSweep& sweep = sweeps[done.rank];
    const double begin = done.begin.value;
    sweep.add(begins_with_message(replay, step, place) ? Doing::Wait : Doing::Delay,
              begin - replay.delays(step)[place], begin);
    if (job.kinds[done.kind].work == JobWork::Host)
      continue;
    const double own = std::max(begin, done.end.value - replay.actual(step)[place]);
    sweep.add(Doing::Wait, std::min(begin, own - replay.waits(step)[place]), own);
    sweep.add(doings[done.kind], own, done.end.value);
  }
  for (std::size_t rank = 0; rank < uses.size(); ++rank)
    sweeps[rank].add_to(uses[rank]);
}

/// Counts kernels of less than 10 us, which cost the host more than the device. Precondition: the
/// uses' short_kernels have values.
void add_short_kernels(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses) {
  constexpr Seconds kShort{10e-6 - 1e-10};  // Clocks count nanoseconds, sums of them round.
  const Job& job = replay.job();
  for (const JobOperation& done : job.steps[step].operations)
    if (computes(job.kinds[done.kind]) && done.end - done.begin < kShort)
      *uses[done.rank].short_kernels += 1;
}

/// Adds to the rank that came last how long all others of its stage waited for it alone. Whoever
/// waits for another stage waits for the pipeline's order.
void add_holding(const Job& job, const JobStep& step, const JobMeeting& meeting,
                 std::vector<RankUse>& uses) {
  const auto stage = [&](std::uint32_t member) {
    return job.ranks[step.operations[member].rank].stage;
  };
  const auto elsewhere = [&](std::uint32_t member) {
    return stage(member) != stage(meeting.members.front());
  };
  if (meeting.message || std::ranges::any_of(meeting.members, elsewhere))
    return;
  std::vector<std::uint32_t> members = meeting.members;
  const auto begin = [&](std::uint32_t member) { return step.operations[member].begin; };
  std::ranges::partial_sort(members, members.begin() + 2, std::ranges::greater(), begin);
  uses[step.operations[members[0]].rank].holding += begin(members[0]) - begin(members[1]);
}

}  // namespace

std::vector<RankUse> rank_uses(const JobReplay& replay) {
  std::vector<RankUse> uses(replay.job().ranks.size());
  for (std::uint32_t rank = 0; rank < uses.size(); ++rank)
    uses[rank] = {.rank = rank,
                  .short_kernels = replay.job().profiled ? std::optional(0.0) : std::nullopt};
  const std::vector<bool> stalled = stalled_steps_of(replay.job());
  for (std::uint32_t step = 0; step < replay.steps(); ++step) {
    if (stalled[step])
      continue;
    add_rank_times(replay, step, uses);
    if (replay.job().profiled)
      add_short_kernels(replay, step, uses);
    for (const JobMeeting& meeting : replay.job().steps[step].meetings)
      add_holding(replay.job(), replay.job().steps[step], meeting, uses);
  }
  const auto steps = static_cast<double>(std::ranges::count(stalled, false));
  for (RankUse& use : uses) {
    for (Seconds RankUse::*time : {&RankUse::computing, &RankUse::communicating, &RankUse::exposed,
                                   &RankUse::copies, &RankUse::copies_alone, &RankUse::waiting,
                                   &RankUse::idle_for_host, &RankUse::other, &RankUse::holding})
      use.*time = use.*time / steps;
    if (use.short_kernels)
      *use.short_kernels /= steps;
  }
  return uses;
}

}  // namespace stepcast
