#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/diagnose/step_graph.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// A job ready to be replayed with the work of some as recorded and of the others ideal.
///
/// The recorded duration of an operation that meets others holds waiting: its own time is its end
/// less the last begin; one whose partners are not recorded takes at most the median of those that
/// met. Ideal is, of computation, the mean of its kind over ranks, stages and
/// steps, and of transfers the median, which a few congested ones do not move. (ByteDance's
/// what-if analysis, OSDI'25.)
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
  double ideal_of_kind(std::uint16_t kind) const { return ideal_of_kind_[kind]; }

  /// How long the steps took as recorded, and as replayed with every delay that no dependency
  /// explains.
  std::vector<double> recorded() const;
  std::vector<double> delayed() const;
  /// By step: as recorded, but a delay is `delay(step, place)`.
  template <typename Delay>
  std::vector<double> delayed_with(Delay delay) const {
    return replay_each(delay, [](const Step& step, const auto& delays, auto& ends) {
      return step.graph.replay(step.actual, delays, ends);
    });
  }
  /// The mean over the steps of |replayed - recorded| end of each rank, over the recorded step.
  std::vector<double> rank_errors() const;

  /// By step: replayed without delays, an operation taking `duration(step, place)`.
  template <typename Duration>
  std::vector<double> replay_with(Duration duration) const {
    return replay_each(duration, [](const Step& step, const auto& durations, auto& ends) {
      return step.graph.replay(durations, {}, ends);
    });
  }

  /// The same with what `is_real` holds of (a JobOperation) as recorded, all else ideal.
  template <typename IsReal>
  std::vector<double> replay_if(IsReal is_real) const {
    return replay_with([&](std::uint32_t step, std::uint32_t place) {
      const Step& of = steps_[step];
      return is_real(job_.steps[step].operations[place]) ? of.actual[place] : of.ideal[place];
    });
  }

 private:
  struct Step {
    StepGraph graph;
    std::vector<double> actual;
    std::vector<double> delays;
    std::vector<double> ideal;
  };

  /// By step: `replay(step, values, ends)` of value(step, place).
  template <typename Value, typename Replay>
  std::vector<double> replay_each(Value value, Replay replay) const {
    std::vector<double> times;
    std::vector<double> values;
    std::vector<double> ends;
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
      values.resize(steps_[step].actual.size());
      for (std::uint32_t place = 0; place < values.size(); ++place)
        values[place] = value(step, place);
      times.push_back(replay(steps_[step], values, ends));
    }
    return times;
  }

  Step step_of(const JobStep& step) const;
  void find_ideals();
  void bound_those_alone();

  const Job& job_;
  std::vector<Step> steps_;
  std::vector<double> ideal_of_kind_;
};

/// What reports say of a replay that misses the recorded steps by this share of them: nothing up to
/// 5 %, from there on a doubt. Throws InputError from 10 % on: what would be without this or that
/// means nothing then.
std::string doubt_of_replay(const Job& job, double error);

double mean_of(const std::vector<double>& values);  ///< Precondition: not empty.

}  // namespace stepcast
