#include "sim/jobs/diagnose/step_as_others.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "models/base/statistics.hpp"

namespace stepcast {
namespace {

/// How long work takes on the ranks that are not meant, by stage and kind.
class OthersTimes {
 public:
  OthersTimes(const JobReplay& replay, const std::vector<bool>& is_meant, AsOthers what)
      : job_(replay.job()), what_(what) {
    std::map<Key, std::vector<double>> times;
    replay.for_each([&](const ReplayedOperation& of) {
      if (!is_meant[of.done.rank] && counts(of.done))
        times[key(of.done)].push_back(of.actual);
    });
    for (auto& [of, all] : times)
      usual_[of] = transfers(of.second) ? median_of(std::move(all)) : mean_of(all);
  }

  std::optional<double> of(const JobOperation& done) const {
    const auto found = counts(done) ? usual_.find(key(done)) : usual_.end();
    return found != usual_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint16_t>;  // Stage and kind.

  Key key(const JobOperation& done) const { return {job_.ranks[done.rank].stage, done.kind}; }
  bool transfers(std::uint16_t kind) const { return job_.kinds[kind].work == JobWork::Transfer; }
  bool counts(const JobOperation& done) const {
    return !transfers(done.kind) || (what_ == AsOthers::All && !done.alone);
  }

  const Job& job_;
  AsOthers what_;
  std::map<Key, double> usual_;
};

}  // namespace

std::optional<double> step_as_others(const JobReplay& replay,
                                     const std::vector<std::uint32_t>& ranks, AsOthers what) {
  const Job& job = replay.job();
  std::vector<bool> is_meant(job.ranks.size());
  for (const std::uint32_t rank : ranks)
    is_meant[rank] = true;
  const OthersTimes others(replay, is_meant, what);
  const auto as_others = [&](const JobOperation& done) {
    return is_meant[done.rank] ? others.of(done) : std::nullopt;
  };
  const auto compares = [&](const JobStep& step) {
    return std::ranges::any_of(
        step.operations, [&](const JobOperation& done) { return as_others(done).has_value(); });
  };
  if (std::ranges::none_of(job.steps, compares))
    return std::nullopt;
  return replay.mean_with(
      [&](const ReplayedOperation& of) { return as_others(of.done).value_or(of.actual); });
}

}  // namespace stepcast
