#include "sim/study/goodput/job_life.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

#include "sim/study/goodput/kept_work.hpp"

// Between two changes of the nodes (a fault, a repair) the job does one thing after the other:
// waits, restarts, then works and saves in turn (KeptWork). A fault of a node that it holds throws
// it back to the last checkpoint and into a restart; a repair matters only to one that wants nodes.

namespace stepcast {
namespace {

class Life {
 public:
  explicit Life(const LifeOptions& options)
      : options_(options),
        job_(options.nodes),
        work_(options),
        outages_(options.nodes + options.spares),
        held_(options.nodes + options.spares) {
    std::fill_n(held_.begin(), options.nodes, true);
    for (std::uint32_t node = options.nodes; node < held_.size(); ++node)
      if (options.policy != LossPolicy::Wait)
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
        end_outage();
      else
        begin_outage(outages[next++]);
    }
    pass_until(options_.length);
    work_.keep(now_);
    const double length = options_.length.value;
    JobLife life = work_.shares();
    life.restarting = restarting_ / length;
    life.waiting = waiting_ / length;
    life.faults = faults_;
    return life;
  }

 private:
  struct Later {
    bool operator()(const Outage& a, const Outage& b) const { return a.end > b.end; }
  };

  bool may_shrink() const {
    return options_.policy == LossPolicy::Shrink || options_.policy == LossPolicy::Drop;
  }
  bool works() const { return able_ && (job_ == options_.nodes || (may_shrink() && job_ > 0)); }

  void begin_outage(const Outage& outage) {
    if (options_.policy == LossPolicy::Wait && outage.node >= options_.nodes)
      return;
    pass_until(outage.begin);
    if (outage.link_share > 0) {
      repairs_.push(outage);
      slow_links_[outage.node].insert(outage.link_share);
    } else if (options_.policy == LossPolicy::Redo) {
      if (!held_[outage.node])
        return;
      count_fault();
      go_back();
      restart_left_ = options_.costs.restart.value;
    } else {
      repairs_.push(outage);
      lose(outage.node);
    }
    change_speed();
  }

  void lose(std::uint32_t node) {
    ++outages_[node];
    std::erase(spares_, node);
    if (!held_[node])
      return;
    held_[node] = false;
    --job_;
    count_fault();
    if (options_.policy != LossPolicy::Drop || job_ == 0)
      go_back();
    take_spares();
    set_out();
  }

  // A switch stops a job once.
  void count_fault() {
    if (faults_ == 0 || last_fault_ != now_)
      ++faults_;
    last_fault_ = now_;
  }

  void go_back() { work_.go_back(now_); }

  void end_outage() {
    const Outage outage = repairs_.top();
    pass_until(outage.end);
    repairs_.pop();
    if (outage.link_share > 0) {
      auto& shares = slow_links_[outage.node];
      shares.erase(shares.find(outage.link_share));
    } else if (--outages_[outage.node] == 0) {
      spares_.push_back(outage.node);
      if (job_ < options_.nodes)
        grow();
    }
    change_speed();
  }

  void grow() {
    if (works() && options_.policy == LossPolicy::Shrink)
      work_.keep(now_);  // it saves before it takes the node in
    take_spares();
    set_out();
  }

  void take_spares() {
    for (; job_ < options_.nodes && !spares_.empty(); ++job_) {
      held_[spares_.back()] = true;
      spares_.pop_back();
    }
  }

  // What it takes until it works again: a restart, or for those that change their size less.
  void set_out() {
    const bool is_shrunk = job_ < options_.nodes;
    const bool changes_size = options_.policy == LossPolicy::Drop ||
                              (options_.policy == LossPolicy::Shrink && (shrunk_ || is_shrunk));
    shrunk_ = is_shrunk;
    restart_left_ = (changes_size ? options_.costs.reconfigure : options_.costs.restart).value;
  }

  void change_speed() {
    if (job_ == 0 || (job_ < options_.nodes && !may_shrink()))
      return;
    double share = 1;
    for (const auto& [node, shares] : slow_links_)
      if (held_[node] && !shares.empty())
        share = std::min(share, *shares.begin());
    const double whole = static_cast<double>(job_) / options_.nodes;
    const double speed = options_.speed ? options_.speed(job_, share) : whole;
    able_ = speed > 0;
    if (able_)
      work_.set_speed(speed);
  }

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
    work_.add(left - restarts, now_);
  }

  const LifeOptions& options_;
  std::uint32_t job_;  // nodes that it holds
  KeptWork work_;
  std::vector<std::uint32_t> outages_;  // of each node, under way
  std::vector<bool> held_;              // by the job
  std::vector<std::uint32_t> spares_;   // up and not held
  std::map<std::uint32_t, std::multiset<double>> slow_links_;
  std::priority_queue<Outage, std::vector<Outage>, Later> repairs_;
  Seconds now_{};
  Seconds last_fault_{};
  double restart_left_ = 0;
  double restarting_ = 0, waiting_ = 0;
  bool able_ = true;
  bool shrunk_ = false;
  std::uint32_t faults_ = 0;
};

}  // namespace

JobLife live(const LifeOptions& options, const std::vector<Outage>& outages) {
  return Life(options).run(outages);
}

}  // namespace stepcast
