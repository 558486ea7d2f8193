#include "sim/study/goodput/job_life.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

// Between two changes of the nodes (a fault, a repair) the job does one thing after the other:
// waits, restarts, then works and saves in turn. A fault of a node that it holds throws it back to
// the last checkpoint and into a restart; a repair matters only to one that wants nodes.
// Checkpoints between two changes are counted, not stepped through.

namespace stepcast {
namespace {

class Life {
 public:
  explicit Life(const LifeOptions& options)
      : options_(options),
        job_(options.nodes),
        outages_(options.nodes + options.spares),
        held_(options.nodes + options.spares) {
    std::fill_n(held_.begin(), options.nodes, true);
    for (std::uint32_t node = options.nodes; node < held_.size(); ++node)
      spares_.push_back(node);
  }

  JobLife run(const std::vector<Outage>& outages) {
    std::size_t next = 0;
    for (;;) {
      const bool fails = next < outages.size() && outages[next].begin < options_.length;
      const bool repaired = !repairs_.empty() && repairs_.top().end < options_.length;
      if (!fails && !repaired)
        break;
      if (repaired && (!fails || repairs_.top().end <= outages[next].begin))
        repair();
      else
        fail(outages[next++]);
    }
    pass_until(options_.length);
    keep();
    const double length = options_.length.value;
    return {.efficiency = done_ / length,
            .checkpoints = saving_ / length,
            .lost = lost_ / length,
            .restarting = restarting_ / length,
            .waiting = waiting_ / length,
            .faults = faults_};
  }

 private:
  struct Later {
    bool operator()(const Outage& a, const Outage& b) const { return a.end > b.end; }
  };

  double speed() const { return static_cast<double>(job_) / options_.nodes; }
  bool works() const {
    return job_ == options_.nodes || (options_.policy == LossPolicy::Shrink && job_ > 0);
  }

  void fail(const Outage& outage) {
    pass_until(outage.begin);
    repairs_.push(outage);
    ++outages_[outage.node];
    std::erase(spares_, outage.node);
    if (!held_[outage.node])
      return;
    held_[outage.node] = false;
    ++faults_;
    drop();
    --job_;
    take_spares();
    restart();
  }

  void repair() {
    const Outage outage = repairs_.top();
    pass_until(outage.end);
    repairs_.pop();
    if (--outages_[outage.node] > 0)
      return;
    spares_.push_back(outage.node);
    if (job_ == options_.nodes)
      return;
    if (works())
      keep();  // it saves before it takes the node in
    take_spares();
    restart();
  }

  void take_spares() {
    for (; job_ < options_.nodes && !spares_.empty(); ++job_) {
      held_[spares_.back()] = true;
      spares_.pop_back();
    }
  }

  void restart() { restart_left_ = options_.costs.restart.value; }

  void pass_until(Seconds time) {
    double left = (time - now_).value;
    now_ = time;
    if (!works()) {
      waiting_ += left;
      return;
    }
    const double restarts = std::min(left, restart_left_);
    restart_left_ -= restarts;
    restarting_ += restarts;
    left -= restarts;
    work(left);
  }

  // Segments of work and a checkpoint; `phase_` is how far the current one is.
  void work(double time) {
    const double at_work = options_.interval.value / speed();
    const double segment = at_work + options_.costs.checkpoint.value;
    const double end = phase_ + time;
    const double whole = std::floor(end / segment);
    if (whole > 0) {
      done_ += whole * options_.interval.value;
      saving_ += whole * options_.costs.checkpoint.value;
    }
    phase_ = end - whole * segment;
    in_phase_ = std::min(phase_, at_work);
  }

  // Back to the last checkpoint.
  void drop() {
    lost_ += phase_;
    phase_ = in_phase_ = 0;
  }

  void keep() {
    done_ += in_phase_ * speed();
    saving_ += phase_ - in_phase_;
    phase_ = in_phase_ = 0;
  }

  const LifeOptions& options_;
  std::uint32_t job_;                   // nodes that it holds
  std::vector<std::uint32_t> outages_;  // of each node, under way
  std::vector<bool> held_;              // by the job
  std::vector<std::uint32_t> spares_;   // up and not held
  std::priority_queue<Outage, std::vector<Outage>, Later> repairs_;
  Seconds now_{};
  double restart_left_ = 0;
  double phase_ = 0, in_phase_ = 0;
  double done_ = 0, saving_ = 0, lost_ = 0, restarting_ = 0, waiting_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace

JobLife live(const LifeOptions& options, const std::vector<Outage>& outages) {
  return Life(options).run(outages);
}

}  // namespace stepcast
