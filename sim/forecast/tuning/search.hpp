#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "sim/forecast/tuning/tuned_option.hpp"

namespace stepcast {

/// What a training step takes and how much it trains.
struct Measurement {
  Seconds time{};      ///< Iteration time.
  double samples = 1;  ///< Of all ranks that train, in all passes of a step.

  /// What is made short: a step of more samples may take longer.
  Seconds per_sample() const { return time / samples; }
};

/// One value of the option that was tried.
struct Trial {
  double value = 0;     ///< In the base unit of the option: bytes, seconds, or as it is.
  std::string text;     ///< As --set takes it; parses to exactly `value`.
  Measurement found{};  ///< Of a value that is refused: an infinite time.
  std::string refusal;  ///< Why the schedule refuses the value; empty: it is feasible.

  bool is_feasible() const { return refusal.empty(); }
  Seconds per_sample() const { return found.per_sample(); }
};

/// What is searched, and what a value costs.
struct SearchTask {
  SearchRange range;
  double first = 0;  ///< Where Bayesian optimisation begins.
  std::uint32_t most_trials = 10;
  std::uint32_t seed = 1;
  double xi = 0.1;  ///< Of the expected improvement, in standard deviations of the observed times.
  /// What a value, given as text, leads to. Throws InputError for a value that is refused.
  std::function<Measurement(const std::string& text)> measure;
  /// Equal numbers mean the same plan and so the same time; cheap beside `measure`.
  std::function<std::uint64_t(const std::string& text)> plan_of;
  std::function<void(const Trial& trial)> tried{};  ///< After every trial; may be empty.
};

/// The record that a strategy writes: every value once, as many as allowed.
class Search {
 public:
  explicit Search(const SearchTask& task) : task_(task) {}

  /// Time per sample at the nearest value that can be written, infinite if it is refused; recalled
  /// if measured before. Precondition: not spent(), or measured before.
  Seconds measure(double value);

  bool spent() const { return trials_.size() >= task_.most_trials; }
  bool has_measured(double value) const;
  const SearchTask& task() const { return task_; }
  const std::vector<Trial>& trials() const { return trials_; }

 private:
  const Trial* find(double written) const;

  const SearchTask& task_;
  std::vector<Trial> trials_;
};

/// A way to search: measures what it wants to know until it is content or the trials are spent.
using Strategy = void (*)(Search& search);

/// DeAR's: Gaussian process with a Matern 5/2 kernel and expected improvement.
void search_bo(Search& search);
/// TopKA2A's: halves the range, keeping the half whose middle is faster.
void search_binary(Search& search);
/// Evenly spaced values, both ends included.
void search_grid(Search& search);
/// Uniformly distributed values.
void search_random(Search& search);
/// Every value that makes a plan of its own.
void search_exhaustive(Search& search);

struct StrategyInfo {
  std::string name;     ///< "bo"
  std::string summary;  ///< One line.
  Strategy search;
  std::vector<std::string> uses{};  ///< Of "seed", "xi" and "first" those that it uses.
};

const std::vector<StrategyInfo>& all_strategies();

/// Throws InputError naming the nearest strategy if there is none of that name.
const StrategyInfo& strategy_of(const std::string& name);

}  // namespace stepcast
