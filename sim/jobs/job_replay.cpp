#include "sim/jobs/job_replay.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/at_once.hpp"
#include "models/base/error.hpp"
#include "models/base/statistics.hpp"

namespace stepcast {
namespace {

/// When each operation ran, for a graph that may have to take meetings apart.
std::vector<RecordedTimes> times_of(const JobStep& step) {
  std::vector<RecordedTimes> times;
  for (const JobOperation& done : step.operations)
    times.push_back({done.begin, done.end});
  return times;
}

/// Its own time of each operation: in a meeting from the last begin, never negative.
std::vector<double> own_times(const JobStep& step, const StepGraph& graph) {
  std::vector<double> times;
  for (std::uint32_t place = 0; place < step.operations.size(); ++place) {
    const JobOperation& done = step.operations[place];
    Seconds begin = done.begin;
    for (const std::uint32_t member : graph.meeting_of(place))
      begin = std::max(begin, step.operations[member].begin);
    times.push_back(std::max(0.0, (done.end - begin).value));
  }
  return times;
}

/// By how much each operation began later than the last of what it waits for ended.
std::vector<double> unexplained_delays(const JobStep& step, const StepGraph& graph) {
  std::vector<double> delays;
  std::vector<double> ends;
  for (const JobOperation& done : step.operations)
    ends.push_back(done.end.value);
  for (std::uint32_t place = 0; place < step.operations.size(); ++place) {
    Seconds ready{};
    for (const std::uint32_t before : graph.waits_of(place))
      ready = std::max(ready, step.operations[before].end);
    if (const auto taken = graph.taken_by(place, ends))
      ready = std::max(ready, step.operations[*taken].end);
    delays.push_back(std::max(0.0, (step.operations[place].begin - ready).value));
  }
  return delays;
}

double ends_at(const JobStep& step) {
  double last = 0;
  for (const JobOperation& done : step.operations)
    last = std::max(last, done.end.value);
  if (last <= 0)
    throw InputError(fmt::format("step {}: expected operations that take time", step.name));
  return last;
}

}  // namespace

StepGraph step_graph_of(const JobStep& step) {
  CompressedRows<> meetings(step.meetings.size(), [&](auto add) {
    for (std::uint32_t meeting = 0; meeting < step.meetings.size(); ++meeting)
      for (const std::uint32_t member : step.meetings[meeting].members)
        add(meeting, member);
  });
  StepGraph graph(step.operations.size(),
                  {.edges = step.edges, .meetings = std::move(meetings), .arrivals = step.arrivals},
                  times_of(step));
  if (!graph.can_run())
    throw InputError(
        fmt::format("step {}: expected operations in an order in which they can run, found some "
                    "that wait for each other",
                    step.name));
  return graph;
}

std::string doubt_of_replay(const Job& job, double error) {
  constexpr double kDoubtful = 0.05;
  constexpr double kRefused = 0.10;
  const std::string missed =
      fmt::format("the replay of the recorded steps misses them by {:.1f} %", 100 * error);
  if (error > kRefused)
    throw InputError(fmt::format("{}: {}: expected at most 10 % for what-ifs to mean anything",
                                 job.name, missed));
  return error > kDoubtful ? missed + ", so what-ifs are doubtful (from 5 % on)" : "";
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

JobReplay::JobReplay(const Job& job) : job_(job) {
  std::vector<std::optional<Step>> steps(job.steps.size());
  for_each_task(steps.size(), [&](std::size_t step) { steps[step] = step_of(job.steps[step]); });
  for (std::optional<Step>& step : steps)
    steps_.push_back(*std::move(step));
  tell_waits();
  find_ideals();
}

void JobReplay::for_each_task(std::size_t count,
                              const std::function<void(std::size_t task)>& work) const {
  constexpr std::size_t kLongSteps = 2000;  // Operations: replayed while a thread is started.
  if (count > 1 && job_.steps.front().operations.size() >= kLongSteps)
    return for_each_at_once(count, work);
  for (std::size_t task = 0; task < count; ++task)
    work(task);
}

JobReplay::Step JobReplay::step_of(const JobStep& step) const {
  StepGraph graph = step_graph_of(step);
  std::vector<double> actual = own_times(step, graph);
  std::vector<double> delays = unexplained_delays(step, graph);
  const std::vector<double> none(actual.size());
  return {.graph = std::move(graph),
          .actual = std::move(actual),
          .delays = std::move(delays),
          .waits = none,
          .ideal = none};
}

void JobReplay::tell_waits() {
  if (std::ranges::none_of(job_.steps, [](const JobStep& step) {
        return std::ranges::any_of(step.operations, &JobOperation::alone);
      }))
    return;
  std::vector<std::vector<double>> met(job_.kinds.size());
  has_met_.assign(job_.kinds.size(), false);
  for_each([&](const ReplayedOperation& of) {
    if (of.done.alone || !of.transfers())
      return;
    met[of.done.kind].push_back(of.actual);
    has_met_[of.done.kind] = true;
  });
  for (std::vector<double>& of : met)
    if (!of.empty())
      of = {median_of(std::move(of))};
  for_each([&](const ReplayedOperation& of) {
    if (!of.done.alone || !of.transfers())
      return;
    Step& step = steps_[of.step];
    const std::vector<double>& usual = met[of.done.kind];
    step.actual[of.place] = usual.empty() ? of.actual : std::min(of.actual, usual.front());
    step.waits[of.place] = of.actual - step.actual[of.place];
    if (of.kind.purpose == JobPurpose::Message)
      step.waits[of.place] += std::exchange(step.delays[of.place], 0);
  });
}

void JobReplay::find_ideals() {
  std::vector<std::vector<double>> times(job_.kinds.size());
  for_each([&](const ReplayedOperation& of) { times[of.done.kind].push_back(of.actual); });
  for (std::size_t kind = 0; kind < times.size(); ++kind) {
    const bool transfers = job_.kinds[kind].work == JobWork::Transfer;
    ideal_of_kind_.push_back(times[kind].empty() ? 0.0
                             : transfers         ? median_of(std::move(times[kind]))
                                                 : mean_of(times[kind]));
  }
  for_each([&](const ReplayedOperation& of) {
    steps_[of.step].ideal[of.place] =
        of.done.alone && !has_met_[of.done.kind] ? of.actual : ideal_of_kind_[of.done.kind];
  });
}

std::vector<double> JobReplay::recorded() const {
  std::vector<double> times;
  for (const JobStep& step : job_.steps)
    times.push_back(ends_at(step));
  return times;
}

std::vector<double> JobReplay::delayed() const {
  return delayed_with([](const ReplayedOperation& of) { return of.delay; });
}

std::vector<double> JobReplay::without_host() const {
  return delayed_with([](const ReplayedOperation&) { return 0.0; });
}

std::vector<double> JobReplay::rank_errors() const {
  std::vector<double> errors(job_.ranks.size(), 0);
  std::vector<double> ends;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    std::vector<double> delays = steps_[step].delays;
    std::ranges::transform(delays, steps_[step].waits, delays.begin(), std::plus<>());
    steps_[step].graph.replay(steps_[step].actual, delays, ends);
    std::vector<double> recorded(errors.size(), 0);
    std::vector<double> replayed(errors.size(), 0);
    const auto& operations = job_.steps[step].operations;
    for (std::size_t place = 0; place < operations.size(); ++place) {
      const JobOperation& done = operations[place];
      recorded[done.rank] = std::max(recorded[done.rank], done.end.value);
      replayed[done.rank] = std::max(replayed[done.rank], ends[place]);
    }
    for (std::size_t rank = 0; rank < errors.size(); ++rank)
      errors[rank] += std::abs(replayed[rank] - recorded[rank]) / ends_at(job_.steps[step]);
  }
  for (double& error : errors)
    error /= static_cast<double>(steps_.size());
  return errors;
}

}  // namespace stepcast
