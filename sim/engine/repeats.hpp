#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/base/error.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/iteration.hpp"

namespace stepcast {

/// Steps that the plan holds once and lists several times did not take the course of those before
/// them: simulate unrolled(plan).
class StepsDiffer : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// What iterations take beyond what was simulated of them: for all the times that repeated steps of
/// the plan come again.
class RepeatedTime {
 public:
  RepeatedTime(const Plan& plan, const Program& program);

  bool is_empty() const { return rows_.empty(); }

  /// Of a finished iteration; `kept` are those that are known, of which it is one. Nothing if a row
  /// of steps did not repeat. Needs what they keep of `ready`. O(places).
  std::optional<Seconds> of(const Iteration& iteration,
                            std::span<const std::unique_ptr<Iteration>> kept) const;

 private:
  /// What an iteration keeps of a row of steps, and of those on the compute stream where it can
  /// begin.
  struct Copy {
    std::size_t first_run = 0;
    std::size_t end_run = 0;
    std::size_t first_ready = 0;
    std::size_t end_ready = 0;
    std::uint32_t stretch = 0;            // with which it begins
    std::vector<std::uint32_t> computes;  // runs
  };
  /// The row before the repeated one, that one, and the one behind it.
  struct Row {
    Copy before;
    Copy again;
    Copy behind;
    double left_out = 0;  // rows
  };
  Copy copy_of(const Program& program, TaskId first, TaskId end) const;
  /// When the iteration before is over, and the one behind starts.
  struct Neighbours {
    Seconds before_ends{};
    Seconds behind_starts{};
  };
  static Neighbours neighbours_of(const Iteration& iteration,
                                  std::span<const std::unique_ptr<Iteration>> kept);
  static std::optional<Seconds> length_of(const Row& row, const Iteration& iteration,
                                          const Neighbours& neighbours);

  std::vector<Row> rows_;
};

/// Tells the stretches of a program apart: rows that are compared begin with one each.
void index_stretches(Program& program, const Plan& plan);

/// The first tasks of each stream in the rows of steps that are compared: where compute must not be
/// merged with what comes before.
std::vector<TaskId> begins_of_rows(const Plan& plan);

}  // namespace stepcast
