#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/search/lanes/lane_round.hpp"
#include "sim/search/step_in_hand.hpp"

namespace stepcast {

/// Looks for communications to fuse and to cut: see edit_step(). What gains most at first may not
/// lead to the shortest step, and with more to choose from less so: each descent begins where the
/// search does, and the shortest step that one of them comes to counts. Where a step has estimates,
/// there is one descent: what a round tries is estimated, and of that the ten that promise most are
/// simulated, one after the other until one is shorter.
class LaneSearch {
 public:
  /// The step must outlive this.
  explicit LaneSearch(StepInHand& step) : step_(step) {}

  void run();
  /// Down one way, by simulations alone and as many as kMostDescentWork lets it.
  /// `known`: what other descents from the same begin have timed; what this one does is added.
  void run(LaneDescent descent, KnownSteps& known);

 private:
  struct BestOfRound {
    std::optional<LaneCandidate> candidate;
    ChangedStep changed;
  };
  /// With the estimate of its step.
  struct Estimated {
    LaneCandidate candidate;
    Seconds step{};
  };

  bool begins();
  void descend();
  bool fuse_rows();
  bool fuse_row(const std::string& kind, const std::string& stream);
  void descend_simulated();
  std::vector<LaneCandidate> promising(const LaneRound& round);
  bool go_round();
  bool go_estimated_round();
  bool may_simulate();
  double work_of_one() const;
  std::vector<Estimated> estimated(LaneRound& round);
  std::optional<Seconds> estimate_of(const LaneCandidate& candidate, LaneRound& round);
  bool accept_simulated(const LaneCandidate& candidate, LaneRound& round);
  bool is_stalled();
  Seconds time(const LaneCandidate& candidate, LaneRound& round, BestOfRound& best);
  void time_cuts(const LaneCandidate& found, LaneRound& round, BestOfRound& best);
  ChangedStep with(const LaneCandidate& candidate, LaneRound& round);

  StepInHand& step_;
  LaneDescent descent_ = LaneDescent::AllCuts;
  std::size_t begin_ = 0;          // How many edits had been accepted before.
  bool any_cuts_ = false;          // Something may be cut.
  std::set<std::string> refused_;  // Simulated, and no shorter.
  double work_ = 0;                // Of what was simulated: see simulated_work().
  double most_work_ = 0;           // 0: no matter.
  bool is_limit_told_ = false;
  KnownSteps known_;  // By what a descent accepted, and the candidate.
};

}  // namespace stepcast
