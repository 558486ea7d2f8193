#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/graph/step_graph.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

double mean_of(const std::vector<double>& values);  ///< Precondition: not empty.

/// What waits for what, and who meets whom, in a recorded step. Throws InputError where operations
/// wait for each other although meetings that contradict each other are taken apart.
StepGraph step_graph_of(const JobStep& step);

/// An operation of a job with its times in replays, in seconds.
struct ReplayedOperation {
  std::uint32_t step = 0;
  std::uint32_t place = 0;  ///< Into the step's operations.
  const JobOperation& done;
  const JobKind& kind;
  double actual = 0;
  double ideal = 0;
  double delay = 0;  ///< By how much it began later than all that it waited for had ended.
  double wait = 0;   ///< See JobReplay::waits().

  bool transfers() const { return kind.work == JobWork::Transfer; }
};

/// A job ready to be replayed with the work of some as recorded and of the others ideal. Steps of
/// long jobs are replayed on all cores: functions that callers give are called on several threads.
///
/// The recorded duration of an operation that meets others holds waiting: its own time is its end
/// less the last begin; one whose partners are not recorded takes at most the median of those that
/// met. Ideal is, of computation, the mean of its kind over ranks, stages and steps, and of
/// transfers the median, which a few congested ones do not move; where none of a kind met, as
/// recorded. (ByteDance's what-if analysis, OSDI'25.)
class JobReplay {
 public:
  explicit JobReplay(const Job& job);

  const Job& job() const { return job_; }
  std::size_t steps() const { return steps_.size(); }
  const StepGraph& graph(std::size_t step) const { return steps_[step].graph; }

  /// Of each operation of a step, in seconds.
  const std::vector<double>& actual(std::size_t step) const { return steps_[step].actual; }
  const std::vector<double>& ideal(std::size_t step) const { return steps_[step].ideal; }
  /// By how much each began later than all that it waited for had ended.
  const std::vector<double>& delays(std::size_t step) const { return steps_[step].delays; }
  /// How long each of those whose partners are not recorded may have waited for these: what it took
  /// more than its own time, and the delay of a message.
  const std::vector<double>& waits(std::size_t step) const { return steps_[step].waits; }
  double ideal_of_kind(std::uint16_t kind) const { return ideal_of_kind_[kind]; }

  ReplayedOperation operation(std::uint32_t step, std::uint32_t place) const {
    const Step& of = steps_[step];
    const JobOperation& done = job_.steps[step].operations[place];
    return {step,
            place,
            done,
            job_.kinds[done.kind],
            of.actual[place],
            of.ideal[place],
            of.delays[place],
            of.waits[place]};
  }
  /// Calls visit(ReplayedOperation) for all operations of all steps.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t step = 0; step < steps_.size(); ++step)
      for (std::uint32_t place = 0; place < steps_[step].actual.size(); ++place)
        visit(operation(step, place));
  }

  /// How long the steps took as recorded; as replayed with every delay that no dependency explains;
  /// and without the host's, which are all but waits.
  std::vector<double> recorded() const;
  std::vector<double> delayed() const;
  std::vector<double> without_host() const;
  /// By step: as recorded, but a delay, beside waits, is delay(ReplayedOperation).
  template <typename Delay>
  std::vector<double> delayed_with(Delay delay) const {
    return replay_each([&](const ReplayedOperation& of) { return delay(of) + of.wait; },
                       [](const Step& step, const auto& delays, auto& ends) {
                         return step.graph.replay(step.actual, delays, ends);
                       });
  }
  /// The mean over the steps of |replayed - recorded| end of each rank, over the recorded step.
  std::vector<double> rank_errors() const;

  /// By step: replayed without delays, an operation taking duration(ReplayedOperation).
  template <typename Duration>
  std::vector<double> replay_with(Duration duration) const {
    return replay_each(duration, [](const Step& step, const auto& durations, auto& ends) {
      return step.graph.replay(durations, {}, ends);
    });
  }
  template <typename Duration>
  double mean_with(Duration duration) const {
    return mean_of(replay_with(duration));
  }

  /// The same with what `is_real` holds of (a JobOperation) as recorded, all else ideal.
  template <typename IsReal>
  std::vector<double> replay_if(IsReal is_real) const {
    return replay_with(
        [&](const ReplayedOperation& of) { return is_real(of.done) ? of.actual : of.ideal; });
  }
  template <typename IsReal>
  double mean_if(IsReal is_real) const {
    return mean_of(replay_if(is_real));
  }

  /// By part: the mean step with what is of the part as recorded, all else ideal. `part_of` a
  /// JobOperation is the number of its part, or another number.
  template <typename PartOf>
  std::vector<double> means_of_parts(std::size_t parts, PartOf part_of) const {
    constexpr std::size_t kAtOnce = 4 * Lanes::kCount;
    const std::size_t tasks = (parts + kAtOnce - 1) / kAtOnce;  // Of a step.
    std::vector<std::vector<double>> times(parts, std::vector<double>(steps()));
    for_each_task(tasks * steps(), [&](std::size_t task) {
      const std::size_t step = task / tasks;
      const std::size_t first = task % tasks * kAtOnce;
      replay_parts(step, first, std::min(parts, first + kAtOnce), part_of, times);
    });
    std::vector<double> means;
    for (const std::vector<double>& of_part : times)
      means.push_back(mean_of(of_part));
    return means;
  }

 private:
  struct Step {
    StepGraph graph;
    std::vector<double> actual;
    std::vector<double> delays;
    std::vector<double> waits;
    std::vector<double> ideal;
  };

  /// By step: `replay(step, values, ends)` of value(ReplayedOperation).
  template <typename Value, typename Replay>
  std::vector<double> replay_each(Value value, Replay replay) const {
    std::vector<double> times(steps());
    for_each_task(steps(), [&](std::size_t task) {
      const auto step = static_cast<std::uint32_t>(task);
      std::vector<double> values(steps_[step].actual.size());
      for (std::uint32_t place = 0; place < values.size(); ++place)
        values[place] = value(operation(step, place));
      std::vector<double> ends;
      times[step] = replay(steps_[step], values, ends);
    });
    return times;
  }

  /// Parts first .. end - 1; fills `times` of part and step.
  template <typename PartOf>
  void replay_parts(std::size_t number, std::size_t first, std::size_t end, PartOf part_of,
                    std::vector<std::vector<double>>& times) const {
    const Step& step = steps_[number];
    std::vector<std::uint32_t> parts;
    parts.reserve(step.actual.size());
    for (const JobOperation& done : job_.steps[number].operations)
      parts.push_back(static_cast<std::uint32_t>(part_of(done)));
    std::vector<Lanes> ends;
    for (std::size_t at = first; at < end; at += Lanes::kCount) {
      const Lanes replayed = step.graph.replay_parts(parts, static_cast<std::uint32_t>(at),
                                                     step.actual, step.ideal, ends);
      for (std::size_t part = at; part < std::min(end, at + Lanes::kCount); ++part)
        times[part][number] = replayed.of[part - at];
    }
  }

  /// On all cores, unless that takes longer.
  void for_each_task(std::size_t count, const std::function<void(std::size_t task)>& work) const;
  Step step_of(const JobStep& step) const;
  void find_ideals();
  void tell_waits();

  const Job& job_;
  std::vector<Step> steps_;
  std::vector<double> ideal_of_kind_;
  std::vector<bool> has_met_;  // By kind, if any are alone: whether any are not.
};

/// What reports say of a replay that misses the recorded steps by this share of them: nothing up to
/// 5 %, from there on a doubt. Throws InputError from 10 % on: what would be without this or that
/// means nothing then.
std::string doubt_of_replay(const Job& job, double error);

}  // namespace stepcast
