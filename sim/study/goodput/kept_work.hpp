#pragma once

#include "sim/study/goodput/job_life.hpp"

namespace stepcast {

/// The work of a job in segments: `interval` of work, then a checkpoint. Those between two changes
/// are counted, not stepped through. A checkpoint that is stored beside the work holds from
/// `persist` after it on; until then a fault goes back to the one before.
class KeptWork {
 public:
  explicit KeptWork(const LifeOptions& options);

  /// Works for so long, until `now`.
  void add(double time, Seconds now);
  /// A fault: what is not saved is lost.
  void go_back(Seconds now);
  /// All that was done stays.
  void keep(Seconds now);
  /// From now on; what was done of a segment stays done.
  void set_speed(double speed);

  /// Efficiency, checkpoints, lost, slowed, efficiencies.
  JobLife shares() const;

 private:
  double at_work() const { return options_.interval.value / speed_; }
  void count(double work, double begin, double end);

  const LifeOptions& options_;
  double speed_ = 1;
  double phase_ = 0;      // how far in a segment, at the speed of now
  double since_ = 0;      // its beginning
  double last_work_ = 0;  // time at work of the last segment that ended; 0: it holds
  double done_ = 0, saving_ = 0, lost_ = 0, slowed_ = 0;
  std::vector<double> done_in_;  // by bin
};

}  // namespace stepcast
