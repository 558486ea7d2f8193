#include "sim/jobs/diagnose/rank_times.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "sim/jobs/counted_delays.hpp"

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

}  // namespace

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

void add_short_kernels(const JobReplay& replay, std::uint32_t step, std::vector<RankUse>& uses) {
  constexpr Seconds kShort{10e-6 - 1e-10};  // Clocks count nanoseconds, sums of them round.
  const Job& job = replay.job();
  std::vector<bool> is_kernel;
  for (const JobKind& kind : job.kinds)
    is_kernel.push_back(kind.work != JobWork::Host && doing_of(kind) == Doing::Compute);
  for (const JobOperation& done : job.steps[step].operations)
    if (is_kernel[done.kind] && done.end - done.begin < kShort)
      *uses[done.rank].short_kernels += 1;
}

}  // namespace stepcast
