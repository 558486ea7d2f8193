#include "models/schedule/period.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/plan_edit.hpp"

// A row of steps that repeats itself is written three times: the first two are compared in the
// simulation, and the second of these stands for all that are left out; the last feels what comes
// behind. The row is looked for greedily, the one that leaves out most first, then rows within it:
// O(steps x longest row).

namespace stepcast {
namespace {

constexpr std::uint32_t kCopies = 3;
constexpr std::uint32_t kStandsForMore = 1;  // of the copies, counted from 0
constexpr std::uint32_t kLeastTimes = 6;
constexpr std::size_t kLongestRow = 64;  // steps

using Order = std::span<const std::uint32_t>;

void check_size(std::span<const Plan> kinds, Order order) {
  constexpr std::uint64_t kMostTasks = 2'000'000;
  std::uint64_t tasks = 0;
  for (const std::uint32_t kind : order)
    tasks += kinds[kind].graph.size();
  if (tasks > kMostTasks)
    throw InputError(
        fmt::format("{}: a period of {} steps would be a plan of {} tasks; expected intervals that "
                    "make at most {}",
                    kinds[order.front()].schedule, order.size(), tasks, kMostTasks));
}

/// Steps that are written, by kind, and for each step of the period which of them it is.
struct WrittenSteps {
  std::vector<std::uint32_t> kinds;
  std::vector<std::uint32_t> listed;
};

/// How often the first `length` steps of `order` come in a row.
std::uint32_t times_in_a_row(Order order, std::size_t length) {
  std::size_t same = length;
  while (same < order.size() && order[same] == order[same - length])
    ++same;
  return static_cast<std::uint32_t>(same / length);
}

struct RowOfSteps {
  std::size_t length = 1;
  std::uint32_t times = 1;

  std::size_t left_out() const { return times < kLeastTimes ? 0 : (times - kCopies) * length; }
};

RowOfSteps best_row(Order order) {
  RowOfSteps best;
  for (std::size_t length = 1; length <= std::min(kLongestRow, order.size()); ++length)
    if (const RowOfSteps row{length, times_in_a_row(order, length)};
        row.left_out() > best.left_out())
      best = row;
  return best;
}

/// The steps of a row, listed `times` times.
void write(WrittenSteps& written, const WrittenSteps& row, std::uint32_t times) {
  const auto first = static_cast<std::uint32_t>(written.kinds.size());
  written.kinds.insert(written.kinds.end(), row.kinds.begin(), row.kinds.end());
  for (std::uint32_t again = 0; again < times; ++again)
    for (const std::uint32_t step : row.listed)
      written.listed.push_back(first + step);
}

WrittenSteps written_steps(Order order) {
  WrittenSteps written;
  while (!order.empty()) {
    const RowOfSteps best = best_row(order);
    const bool repeats = best.left_out() > 0;
    const WrittenSteps row =
        repeats ? written_steps(order.first(best.length)) : WrittenSteps{{order.front()}, {0}};
    for (std::uint32_t copy = 0; copy < (repeats ? kCopies : 1); ++copy)
      write(written, row, repeats && copy == kStandsForMore ? best.times - kCopies + 1 : 1);
    order = order.subspan(repeats ? best.length * best.times : 1);
  }
  return written;
}

/// The first tasks of all steps that are written, in order.
std::vector<TaskId> begins_of_steps(const Plan& plan) {
  std::vector<TaskId> begins = plan.later_steps;
  begins.push_back(0);
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

/// Behind the last task of the step that begins with `first`.
TaskId end_of_step(const Plan& plan, const std::vector<TaskId>& begins, TaskId first) {
  const auto next = std::ranges::upper_bound(begins, first);
  return next == begins.end() ? static_cast<TaskId>(plan.graph.size()) : *next;
}

/// Writes rows of a plan anew, up to `more` of each repeated one by themselves.
class RowWriter {
 public:
  RowWriter(const Plan& plan, std::uint32_t more)
      : plan_(plan), begins_(begins_of_steps(plan)), repeats_(repeats_of(plan)), more_(more) {}

  /// The steps of these tasks, as they are listed then.
  std::vector<TaskId> write(TaskId first, TaskId end) {
    std::vector<TaskId> listed;
    while (first < end) {
      const auto row = std::ranges::find_if(repeats_, [&](const RepeatedSteps& steps) {
        return steps.first == first && steps.end < end;
      });
      if (row == repeats_.end()) {
        listed.push_back(write_step(first));
        first = end_of_step(plan_, begins_, first);
        continue;
      }
      std::uint32_t left = row->times;
      for (std::uint32_t written = 0; written < more_ && left > 1; ++written, --left)
        append(listed, write(row->first, row->end), 1);
      append(listed, write(row->first, row->end), left);
      first = row->end;
    }
    return listed;
  }

  Plan take() && {
    Plan result = plan_;
    result.graph = TaskGraph(tasks_, edges_);
    result.announcements = std::move(announcements_);
    result.quorums = std::move(quorums_);
    return result;
  }

 private:
  static void append(std::vector<TaskId>& listed, const std::vector<TaskId>& row,
                     std::uint32_t times) {
    for (std::uint32_t again = 0; again < times; ++again)
      listed.insert(listed.end(), row.begin(), row.end());
  }

  TaskId write_step(TaskId first) {
    const TaskId end = end_of_step(plan_, begins_, first);
    const auto begin = static_cast<TaskId>(tasks_.size());
    const TaskId shift = begin - first;  // may wrap around
    const auto holds = [&](TaskId id) { return first <= id && id < end; };
    for (TaskId id = first; id < end; ++id) {
      tasks_.push_back(plan_.graph.task(id));
      plan_.graph.for_each_successor(
          id, [&](TaskId after) { edges_.emplace_back(id + shift, after + shift); });
    }
    for (const auto& [task, announced] : plan_.announcements)
      if (holds(task))
        announcements_.emplace_back(task + shift, announced + shift);
    for (const Quorum& quorum : plan_.quorums)
      if (holds(quorum.task))
        quorums_.push_back({quorum.task + shift, quorum.needed});
    return begin;
  }

  const Plan& plan_;
  std::vector<TaskId> begins_;
  std::vector<RepeatedSteps> repeats_;
  std::uint32_t more_;
  std::vector<Task> tasks_;
  std::vector<TaskGraph::Edge> edges_;
  std::vector<TaskGraph::Edge> announcements_;
  std::vector<Quorum> quorums_;
};

}  // namespace

Plan period_of(std::span<const Plan> kinds, Order order) {
  assert(!order.empty() &&
         std::ranges::all_of(kinds, [](const Plan& k) { return k.next.empty(); }));
  check_size(kinds, order);
  const WrittenSteps written = written_steps(order);
  PlanEdit edit(kinds[written.kinds.front()]);
  for (const Plan& kind : kinds)
    edit.adopt(kind);
  std::vector<TaskId> begins;
  for (const std::uint32_t index : written.kinds) {
    const Plan& kind = kinds[index];
    if (!begins.empty())
      edit.go_on(kind);
    begins.push_back(edit.tasks());
    edit.result().memory = larger_of(edit.result().memory, kind.memory);
    for (TaskId id = 0; id < kind.graph.size(); ++id)
      edit.keep(id);
  }
  Plan plan = std::move(edit).apply();
  plan.later_steps.clear();
  for (const std::uint32_t step : std::span(written.listed).subspan(1))
    plan.later_steps.push_back(begins[step]);
  return plan;
}

// A row comes again where a step is listed that does not lie behind the one before it. A row within
// another does so in each of that one's rounds.
std::vector<RepeatedSteps> repeats_of(const Plan& plan) {
  std::map<std::pair<TaskId, TaskId>, std::uint32_t> comes_again;  // by last and first step
  for (std::size_t i = 1; i < plan.later_steps.size(); ++i)
    if (plan.later_steps[i] <= plan.later_steps[i - 1])
      ++comes_again[{plan.later_steps[i - 1], plan.later_steps[i]}];
  if (comes_again.empty())
    return {};
  const std::vector<TaskId> begins = begins_of_steps(plan);
  std::vector<RepeatedSteps> repeats;
  for (auto row = comes_again.rbegin(); row != comes_again.rend(); ++row) {
    RepeatedSteps steps{.first = row->first.second,
                        .end = end_of_step(plan, begins, row->first.first)};
    for (const RepeatedSteps& outer : repeats)
      if (outer.holds(steps.first))
        steps.rounds *= outer.times;
    steps.times = row->second / steps.rounds + 1;
    repeats.push_back(steps);
  }
  std::ranges::reverse(repeats);
  return repeats;
}

Plan unrolled(Plan plan) {
  return repeats_of(plan).empty() ? std::move(plan) : with_more_rows(plan, kNone);
}

Plan with_more_rows(const Plan& plan, std::uint32_t more) {
  if (repeats_of(plan).empty())
    return plan;
  assert(plan.next.empty() && plan.later.empty());
  RowWriter writer(plan, more);
  std::vector<TaskId> steps = writer.write(0, static_cast<TaskId>(plan.graph.size()));
  steps.erase(steps.begin());
  Plan result = std::move(writer).take();
  result.later_steps = std::move(steps);
  return result;
}

std::vector<std::uint32_t> times_of_tasks(const Plan& plan) {
  std::vector<std::uint32_t> times(plan.graph.size(), 1);
  for (const RepeatedSteps& steps : repeats_of(plan))
    for (TaskId id = steps.first; id < steps.end; ++id)
      times[id] *= steps.times;
  return times;
}

}  // namespace stepcast
