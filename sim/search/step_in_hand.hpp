#pragma once

#include <string>
#include <vector>

#include "sim/search/step_search.hpp"

namespace stepcast {

/// A step as it is with the edits that were accepted so far, and what is told of them.
class StepInHand {
 public:
  /// Times it as it is, unless that is known. Fills `result`, which must outlive this, from
  /// step_before on, or goes on where edits were accepted already.
  StepInHand(EditableStep step, EditedStep& result);

  const EditableStep& step() const { return step_; }
  const TimedStep& now() const { return now_; }
  EditedStep& result() { return result_; }

  /// Throws InputError where edited graphs cannot run or have nothing to do.
  TimedStep timed(const std::vector<WorkGraph>& graphs);
  /// By more than rounding.
  bool is_shorter(Seconds step) const;
  void accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
              TimedStep changed);
  /// Another number of GPUs: no gain is told.
  void accept_size(const std::string& text, std::uint32_t gpus, std::vector<WorkGraph> graphs,
                   TimedStep changed);
  /// Accepts it if the step is shorter, by its estimate first where there is one. Not for such a
  /// step, or nothing in it is meant: false.
  bool try_recipe(const char* recipe);
  void replace(EditableStep step) { step_ = std::move(step); }
  /// Whether it promises a shorter step; without estimates always.
  bool promises(const std::vector<WorkGraph>& graphs);

  /// What was reached by edits, to go back to.
  struct Reached {
    std::vector<WorkGraph> graphs;
    TimedStep now;
    std::vector<AcceptedEdit> accepted;
  };
  Reached reached() const { return {step_.graphs, now_, result_.accepted}; }
  void go_back_to(const Reached& reached);

 private:
  EditableStep step_;
  EditedStep& result_;
  TimedStep now_;
};

/// Throws InputError for a step of no time, or of more than 1e12 s.
void require_time(Seconds step);

}  // namespace stepcast
