#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/iteration.hpp"
#include "sim/engine/repeats.hpp"

namespace stepcast {

/// The iterations of a run, and when it has seen enough of them: when one ran exactly as an earlier
/// one, or when there were as many as asked for.
class SteadyState {
 public:
  /// Finds the longest training step of a finished iteration that took so long.
  using LongestStep = std::function<Seconds(const Iteration&, Seconds length)>;

  /// `keeps_ready`: when members of communications were ready, of iterations that were looked at.
  /// Without `longest_step` an iteration counts as one step.
  SteadyState(const Plan& plan, const Program& program, const EngineOptions& options,
              std::size_t classes, bool keeps_ready, LongestStep longest_step = {});
  ~SteadyState();
  SteadyState(const SteadyState&) = delete;
  SteadyState& operator=(const SteadyState&) = delete;

  /// Iterations from this number on are not simulated.
  std::uint32_t limit() const { return limit_; }

  std::uint32_t oldest() const { return oldest_; }
  std::uint32_t known() const { return static_cast<std::uint32_t>(iterations_.size()); }
  /// Precondition: oldest() <= number < known(). Stays where it is.
  Iteration& at(std::uint32_t number) { return *iterations_[number]; }
  const Iteration& at(std::uint32_t number) const { return *iterations_[number]; }

  std::span<const std::unique_ptr<Iteration>> kept() const {
    return std::span(iterations_).subspan(oldest_);
  }

  void add(std::unique_ptr<Iteration> iteration) { iterations_.push_back(std::move(iteration)); }
  void begin(Iteration& iteration, Seconds now);

  /// Looks at the iterations that have finished; true once that is enough. To be asked when one has
  /// begun or finished.
  bool is_enough();

  /// Forgets all iterations but the one to report and the one before it. Precondition: is_enough.
  void keep_reported();

  /// The iteration to report, and the times of all, with the steps that were jumped over.
  /// Precondition: is_enough. Throws StepsDiffer.
  std::uint32_t reported() const;
  void tell_times(Timeline& timeline) const;

  /// By so much later the iteration to report ran than the one that reported() numbers: it was not
  /// simulated where it could only run as the first one did.
  Seconds later() const { return begins_anew_ ? begins_[1] : Seconds{}; }

 private:
  /// Iterations begin .. end - 1.
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  Span repeated() const;
  Seconds simulated(std::uint32_t number) const { return begins_[number + 1] - begins_[number]; }
  Seconds jumped(std::uint32_t number) const;
  Seconds length(std::uint32_t number) const { return simulated(number) + jumped(number); }
  void find_longest_step(std::uint32_t number);
  Seconds worst_of(std::uint32_t number) const {
    return longest_step_ ? longest_steps_[number] : length(number);
  }
  Seconds mean_of(Span span) const;
  bool repeats(std::uint32_t number, std::uint32_t period) const;
  bool begins_anew() const;
  void forget_before(std::uint32_t number);

  RepeatedTime repeated_time_;
  bool keeps_ready_;
  LongestStep longest_step_;
  std::vector<Seconds> longest_steps_;          // by iteration, where they are asked for
  std::vector<std::optional<Seconds>> jumped_;  // by iteration; empty where no steps repeat
  const std::string& schedule_;
  std::uint32_t shortest_period_;
  bool may_begin_anew_;
  std::uint32_t asked_;  // iterations; 0: until they repeat
  std::uint32_t limit_;
  std::vector<std::unique_ptr<Iteration>> iterations_;  // by number; null: forgotten
  std::uint32_t oldest_ = 0;                            // that is not forgotten
  std::uint32_t unchecked_ = 0;                         // first iteration not yet looked at
  std::vector<Seconds> begins_;
  std::uint32_t period_ = 0;  // iterations after which everything repeats; 0: not found yet
  bool begins_anew_ = false;  // of period 1, and the second is not simulated
  bool enough_ = false;
};

}  // namespace stepcast
