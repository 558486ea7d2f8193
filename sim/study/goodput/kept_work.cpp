#include "sim/study/goodput/kept_work.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {

KeptWork::KeptWork(const LifeOptions& options) : options_(options), done_in_(options.bins) {}

void KeptWork::add(double time, Seconds now) {
  const double interval = options_.interval.value, saving = options_.costs.checkpoint.value;
  const double segment = at_work() + saving;
  const double end = phase_ + time;
  const double whole = std::floor(end / segment);
  if (whole < 1) {
    phase_ = end;
    since_ += time;
    return;
  }
  phase_ = end - whole * segment;
  const double spent = since_ + time - phase_;
  count(whole * interval, now.value - time, now.value);
  saving_ += whole * saving;
  slowed_ += spent - whole * (interval + saving);
  last_work_ = whole > 1 ? at_work() : spent - saving;
  since_ = phase_;
}

void KeptWork::go_back(Seconds now) {
  lost_ += since_;
  if (last_work_ > 0 && since_ < options_.costs.persist.value) {
    const double work = options_.interval.value;
    count(-work, now.value - since_, now.value - since_);
    lost_ += last_work_;
    slowed_ -= last_work_ - work;
  }
  phase_ = since_ = last_work_ = 0;
}

void KeptWork::keep(Seconds now) {
  const double work = std::min(phase_, at_work()) * speed_;
  const double saving = std::max(0.0, phase_ - at_work());
  count(work, now.value - since_, now.value);
  saving_ += saving;
  slowed_ += since_ - saving - work;
  phase_ = since_ = last_work_ = 0;
}

void KeptWork::set_speed(double speed) {
  const double before = at_work();
  const double ratio = speed_ / speed;
  speed_ = speed;
  phase_ = phase_ <= before ? phase_ * ratio : at_work() + (phase_ - before);
}

// Spread evenly over the bins from begin to end.
void KeptWork::count(double work, double begin, double end) {
  done_ += work;
  if (done_in_.empty() || work == 0)
    return;
  const double width = options_.length.value / static_cast<double>(done_in_.size());
  const auto bin_of = [&](double time) {
    return std::min(static_cast<std::size_t>(std::max(time, 0.0) / width), done_in_.size() - 1);
  };
  const std::size_t first = bin_of(begin), last = bin_of(end);
  for (std::size_t bin = first; bin <= last; ++bin) {
    const double from = std::max(begin, static_cast<double>(bin) * width);
    const double until = bin == last ? end : static_cast<double>(bin + 1) * width;
    done_in_[bin] += first == last ? work : work * (until - from) / (end - begin);
  }
}

JobLife KeptWork::shares() const {
  const double length = options_.length.value;
  JobLife life{.efficiency = done_ / length,
               .checkpoints = saving_ / length,
               .lost = lost_ / length,
               .slowed = slowed_ / length,
               .efficiencies = done_in_};
  for (double& each : life.efficiencies)
    each *= static_cast<double>(done_in_.size()) / length;
  return life;
}

}  // namespace stepcast
