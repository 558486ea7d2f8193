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
  for (const Row& row : rows_)
    for (const std::size_t run : {row.before.first_run, row.again.first_run, row.behind.first_run})
      add_border(run);
}

void RepeatedTime::add_border(std::size_t run) {
  const auto at = std::ranges::lower_bound(borders_, run, {}, &Border::run);
  if (at == borders_.end() || at->run != run)
    borders_.insert(at, {.run = run});
}

// Those that have not run are still to come.
std::vector<RepeatedTime::Border> RepeatedTime::borders_in(const Iteration& iteration) const {
  const Runs all(iteration.runs);
  std::vector<Border> borders = borders_;
  Seconds last_end;
  std::size_t run = 0;
  for (Border& border : borders) {
    for (; run < border.run; ++run)
      last_end = std::max(last_end, all[run].end);
    border.ends_before = last_end;
  }
  Seconds first_start{kNever};
  run = all.size();
  for (auto border = borders.rbegin(); border != borders.rend(); ++border) {
    for (; run > border->run; --run)
      if (const Seconds start = all[run - 1].start; start >= Seconds{})
        first_start = std::min(first_start, start);
    border->starts_from = first_start;
  }
  return borders;
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
  Copy copy{.first_run = run_of(from),
            .end_run = run_of(to),
            .first_ready = ready_of(from),
            .end_ready = ready_of(to),
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
  const std::vector<Border> borders = borders_in(iteration);
  Seconds sum;
  for (const Row& row : rows_) {
    const auto length = length_of(row, iteration, neighbours, borders);
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
      found.before_ends = other->last_end;
    if (other->number == iteration.number + 1 && other->first_start >= Seconds{})
      found.behind_starts = other->first_start;
  }
  return found;
}

std::optional<Seconds> RepeatedTime::length_of(const Row& row, const Iteration& iteration,
                                               const Neighbours& neighbours,
                                               const std::vector<Border>& borders) {
  if (row.again.computes.empty())
    return std::nullopt;
  const Runs all(iteration.runs);
  const auto runs = [&](const Copy& copy) {
    return all.subspan(copy.first_run, copy.end_run - copy.first_run);
  };
  const auto readies = [&](const Copy& copy) {
    return Readies(iteration.ready).subspan(copy.first_ready, copy.end_ready - copy.first_ready);
  };
  const auto at = [&](const Copy& copy) -> const Border& {
    return *std::ranges::lower_bound(borders, copy.first_run, {}, &Border::run);
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
      at(row.before).ends_before <= a_begin && at(row.again).ends_before <= an_end &&
      at(row.again).starts_from >= begin - tolerance &&
      at(row.behind).starts_from >= end - tolerance && neighbours.before_ends <= a_begin &&
      neighbours.behind_starts >= end - tolerance;
  return repeats ? std::optional(length) : std::nullopt;
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
