#include <cstdint>
#include <deque>
#include <map>

#include "sim/forecast/tuning/search.hpp"

namespace stepcast {
namespace {

/// A value between two values, on the scale searched and as it can be written.
double middle_of(const SearchRange& range, double low, double high) {
  const double middle = range.at((range.share_of(low) + range.share_of(high)) / 2);
  return parse_value(range.kind, write_value(range.kind, middle));
}

/// Measures the first value of every plan.
class PlanByPlan {
 public:
  explicit PlanByPlan(Search& search) : search_(search) {}

  std::uint64_t visit(double value) {
    const std::uint64_t plan =
        search_.task().plan_of(write_value(search_.task().range.kind, value));
    if (seen_.emplace(plan, value).second && !search_.spent())
      search_.measure(value);
    return plan;
  }

 private:
  Search& search_;
  std::map<std::uint64_t, double> seen_;
};

struct Interval {
  double low = 0;
  double high = 0;
  std::uint64_t plan_low = 0;
  std::uint64_t plan_high = 0;
};

}  // namespace

/// Where both ends of an interval make the same plan, so does everything between them: that holds
/// for options that are limits (a fusion buffer, a partition size). Other intervals are halved
/// until no value can be written between their ends, widest first, so that trials that run out
/// leave an even grid. The time is a step function of a limit; this finds the best step for
/// certain.
void search_exhaustive(Search& search) {
  const SearchRange& range = search.task().range;
  PlanByPlan plans(search);
  std::deque<Interval> open{
      {range.low, range.high, plans.visit(range.low), plans.visit(range.high)}};
  while (!open.empty() && !search.spent()) {
    const Interval interval = open.front();
    open.pop_front();
    const double middle = middle_of(range, interval.low, interval.high);
    const bool is_between = middle > interval.low && middle < interval.high;
    if (interval.plan_low == interval.plan_high || !is_between)
      continue;
    const std::uint64_t plan = plans.visit(middle);
    open.push_back({interval.low, middle, interval.plan_low, plan});
    open.push_back({middle, interval.high, plan, interval.plan_high});
  }
}

}  // namespace stepcast
