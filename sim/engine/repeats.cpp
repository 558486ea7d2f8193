#include "sim/engine/repeats.hpp"

#include <algorithm>
#include <cmath>

// Rows of steps that repeat. Three equal rows A, B, C follow each other; B stands for more. The
// system is deterministic, so if all that is under way when C begins is what was under way when B
// began, every row in between takes the course of B. That holds where
//   - everything happened in B as in A, a time T later (which is also how much later C begins),
//   - when B begins all is over that came before A, and A when C begins: what is under way then is
//     of the row before,
//   - nothing of B, C and what comes behind them runs ahead of the begin of its row.
// A row begins with its first compute. What is left out takes T each time. Rows within rows count
// as often as the outer ones come; what they leave out is left out of the comparison, too.

namespace stepcast {
namespace {

constexpr double kNever = 1e300;
constexpr double kRounding = 1e-12;  // of the clock: T counts some hundred times

using Runs = std::span<const StepRun>;
using Readies = std::span<const Seconds>;

/// Everything in `b` as in `a`, so much later; compute is ready when it starts.
class LaterBy {
 public:
  LaterBy(Seconds shift, Seconds tolerance) : shift_(shift), tolerance_(tolerance) {}

  bool are_same(Runs a, Runs b) const {
    return std::ranges::equal(a, b, [this](const StepRun& left, const StepRun& right) {
      return same(left.start, right.start) && same(left.end, right.end);
    });
  }
  bool are_same(Readies a, Readies b) const {
    return std::ranges::equal(a, b,
                              [this](Seconds left, Seconds right) { return same(left, right); });
  }

 private:
  bool same(Seconds in_a, Seconds in_b) const {
    return std::abs((in_b - in_a - shift_).value) <= tolerance_.value;
  }
  Seconds shift_;
  Seconds tolerance_;
};

Seconds last_end(std::span<const Stretch> stretches) {
  Seconds last;
  for (const Stretch& each : stretches)
    last = std::max(last, each.last_end);
  return last;
}

// Those that have not run are still to come.
Seconds first_start(std::span<const Stretch> stretches) {
  Seconds first{kNever};
  for (const Stretch& each : stretches)
    if (each.first_start >= Seconds{})
      first = std::min(first, each.first_start);
  return first;
}

/// First step of the program at or behind a task.
StepId step_from(const Program& program, TaskId task) {
  return static_cast<StepId>(
      std::ranges::lower_bound(program.steps, task, {}, &ProgramStep::first) -
      program.steps.begin());
}

}  // namespace

RepeatedTime::RepeatedTime(const Plan& plan, const Program& program) {
  for (const RepeatedSteps& steps : repeats_of(plan))
    rows_.push_back({.before = copy_of(program, steps.first - steps.tasks(), steps.first),
                     .again = copy_of(program, steps.first, steps.end),
                     .behind = copy_of(program, steps.end, steps.end + steps.tasks()),
                     .left_out = steps.left_out()});
}

RepeatedTime::Copy RepeatedTime::copy_of(const Program& program, TaskId first, TaskId end) const {
  const StepId from = step_from(program, first);
  const StepId to = step_from(program, end);
  const auto run_of = [&](StepId step) {
    return step < program.steps.size() ? program.steps[step].first_run : program.runs;
  };
  const auto ready_of = [&](StepId step) {
    return step < program.steps.size() ? program.steps[step].first_ready : program.readies;
  };
  Copy copy{
      .first_run = run_of(from),
      .end_run = run_of(to),
      .first_ready = ready_of(from),
      .end_ready = ready_of(to),
      .stretch = from < program.steps.size() ? program.steps[from].stretch : program.stretches,
      .computes = {}};
  for (StepId step = from; step < to; ++step)
    if (program.steps[step].stream == 0 && !program.steps[step].is_communication())
      for (auto run = run_of(step); run < run_of(step + 1); ++run)
        copy.computes.push_back(run);
  return copy;
}

std::optional<Seconds> RepeatedTime::of(const Iteration& iteration,
                                        std::span<const std::unique_ptr<Iteration>> kept) const {
  const Neighbours neighbours = neighbours_of(iteration, kept);
  Seconds sum;
  for (const Row& row : rows_) {
    const auto length = length_of(row, iteration, neighbours);
    if (!length)
      return std::nullopt;
    sum += *length * row.left_out;
  }
  return sum;
}

RepeatedTime::Neighbours RepeatedTime::neighbours_of(
    const Iteration& iteration, std::span<const std::unique_ptr<Iteration>> kept) {
  Neighbours found{.before_ends = {}, .behind_starts = Seconds{kNever}};
  for (const auto& other : kept) {
    if (other->number + 1 == iteration.number)
      found.before_ends = last_end(other->stretches);
    if (other->number == iteration.number + 1)
      found.behind_starts = first_start(other->stretches);
  }
  return found;
}

std::optional<Seconds> RepeatedTime::length_of(const Row& row, const Iteration& iteration,
                                               const Neighbours& neighbours) {
  if (row.again.computes.empty())
    return std::nullopt;
  const Runs all(iteration.runs);
  const auto runs = [&](const Copy& copy) {
    return all.subspan(copy.first_run, copy.end_run - copy.first_run);
  };
  const auto readies = [&](const Copy& copy) {
    return Readies(iteration.ready).subspan(copy.first_ready, copy.end_ready - copy.first_ready);
  };
  const auto before = [&](const Copy& copy) {
    return std::span(iteration.stretches).first(copy.stretch);
  };
  const auto from = [&](const Copy& copy) {
    return std::span(iteration.stretches).subspan(copy.stretch);
  };
  const auto begin_of = [&](const Copy& copy) {
    Seconds begin = all[copy.computes.front()].start;
    for (const std::uint32_t run : copy.computes)
      begin = std::min(begin, all[run].start);
    return begin;
  };
  const Seconds begin = begin_of(row.again);
  const Seconds end = begin_of(row.behind);
  const Seconds length = end - begin;
  const Seconds tolerance = end * kRounding;
  const Seconds a_begin = begin + tolerance;  // what ends or starts there may be off by rounding
  const Seconds an_end = end + tolerance;
  const LaterBy later(length, tolerance);
  const bool repeats =
      later.are_same(runs(row.before), runs(row.again)) &&
      later.are_same(readies(row.before), readies(row.again)) &&
      last_end(before(row.before)) <= a_begin && last_end(before(row.again)) <= an_end &&
      first_start(from(row.again)) >= begin - tolerance &&
      first_start(from(row.behind)) >= end - tolerance && neighbours.before_ends <= a_begin &&
      neighbours.behind_starts >= end - tolerance;
  return repeats ? std::optional(length) : std::nullopt;
}

void index_stretches(Program& program, const Plan& plan) {
  std::vector<StepId> borders;
  for (const RepeatedSteps& steps : repeats_of(plan))
    for (const TaskId task : {steps.first - steps.tasks(), steps.first, steps.end})
      borders.push_back(step_from(program, task));
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  for (const StepId border : borders)
    if (border < program.steps.size())
      program.steps[border].stretch = 1;
  std::uint32_t stretch = 0;
  for (ProgramStep& step : program.steps)
    step.stretch = stretch += step.stretch;
  program.stretches = stretch + 1;
}

std::vector<TaskId> begins_of_rows(const Plan& plan) {
  std::vector<TaskId> begins;
  for (const RepeatedSteps& steps : repeats_of(plan))
    for (const TaskId border :
         {steps.first - steps.tasks(), steps.first, steps.end, steps.end + steps.tasks()}) {
      std::vector<bool> seen(plan.streams.size());
      for (TaskId id = border; id < plan.graph.size(); ++id)
        if (const StreamId stream = plan.graph.task(id).stream; !seen[stream]) {
          seen[stream] = true;
          begins.push_back(id);
        }
    }
  return begins;
}

}  // namespace stepcast
