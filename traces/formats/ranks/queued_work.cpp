#include "traces/formats/ranks/queued_work.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// Adds up what is queued in a step.
class QueueSums {
 public:
  void add_step(Seconds begin, Seconds end, const std::vector<QueuedWork>& works) {
    Seconds covered = begin;
    for (const auto& [launched, begun] : works) {
      if (launched >= end)
        break;
      const Seconds from = std::max(launched, begin);
      const Seconds to = std::min(begun, end);
      if (to <= from)
        continue;
      waited_ += to - from;
      busy_ += std::max(Seconds{}, to - std::max(from, covered));
      covered = std::max(covered, to);
    }
    time_ += end - begin;
  }

  std::optional<LaunchQueue> mean() const {
    if (!(time_ > Seconds{}))
      return std::nullopt;
    return LaunchQueue{.length = waited_ / time_, .empty = std::max(0.0, 1 - busy_ / time_)};
  }

 private:
  Seconds time_{};
  Seconds waited_{};  // Of all work together.
  Seconds busy_{};    // In which any waits.
};

}  // namespace

std::optional<LaunchQueue> queue_of(std::vector<QueuedWork> works,
                                    const std::vector<std::pair<Seconds, Seconds>>& steps) {
  if (works.empty())
    return std::nullopt;
  std::ranges::sort(works, {},
                    [](const QueuedWork& work) { return std::pair(work.launched, work.begun); });
  QueueSums sums;
  for (const auto& [begin, end] : steps)
    sums.add_step(begin, end, works);
  return sums.mean();
}

}  // namespace stepcast
