// Best first: candidates of a size stand in the order of their bounds, and the next is worth a
// simulation only if its bound is below the fastest that was simulated there. A size of which not
// even the bound is faster or cheaper than something simulated on its cluster is left. Simulations
// run in rounds of kRound, or a quarter of what was simulated before, whatever the number of
// workers, so that the result does not depend on it. Each takes the sizes that were simulated
// least, spread over their list, so that a limit leaves gaps and no end that nobody looked at; of
// candidates that bounds cannot tell apart (data parallelism: compute alone) the one whose kind did
// best elsewhere.

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/search/plan/capacity_plan.hpp"
#include "sim/search/plan/least_memory.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kRound = 16;
constexpr std::size_t kShown = 10;
constexpr double kHour = 3600;

/// 0, 2^31, 2^30, 3 * 2^30 ..: in the order of these the first numbers lie far apart.
std::uint32_t reversed_bits(std::uint32_t number) {
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit, number >>= 1)
    reversed = reversed << 1 | (number & 1);
  return reversed;
}

class Search {
 public:
  Search(PlanSpace space, std::uint32_t workers, std::uint32_t most,
         const std::function<void()>& finished)
      : plan_{.space = std::move(space)}, workers_(workers), left_(most), finished_(finished) {}

  CapacityPlan run() && {
    sort_candidates();
    tell_costs();
    if (count_queued() > left_)
      simulate(kinds_round());
    while (left_ > 0 && simulate(next_round())) {
    }
    plan_.open = std::exchange(missing_, 0);
    count_rest();
    while (left_ > 0 && simulate(more_of_the_best())) {
    }
    plan_.bounded += std::exchange(missing_, 0);
    if (std::ranges::none_of(plan_.choices, &PlanChoice::fits))
      simulate(of_least_memory(plan_.space, plan_.bounds, kShown));
    return std::move(plan_);
  }

 private:
  /// Candidates of a site that may be simulated, lowest bound first.
  struct Queue {
    std::vector<std::size_t> order;
    std::size_t next = 0;
    double best = std::numeric_limits<double>::infinity();  ///< Seconds of a sample.
  };

  void sort_candidates() {
    plan_.bounds = find_bounds(plan_.space, workers_);
    queues_.resize(plan_.space.sites.size());
    for (std::size_t i = 0; i < plan_.bounds.size(); ++i) {
      const std::uint32_t site = plan_.space.candidates[i].site;
      if (!plan_.bounds[i].refusal.empty())
        ++plan_.refused[plan_.bounds[i].refusal];
      else if (is_too_large(i))
        ++plan_.too_large;
      else
        queues_[site].order.push_back(i);
    }
    for (Queue& queue : queues_)
      std::ranges::stable_sort(queue.order, {},
                               [&](std::size_t i) { return plan_.bounds[i].sample_s; });
  }

  /// As if all were like the best candidate of the largest size that its schedule takes.
  void tell_costs() const {
    const auto open = std::ranges::max_element(queues_, {}, [&](const Queue& queue) {
      return queue.order.empty() ? 0 : plan_.space.sites[site_of(queue)].cluster.ranks();
    });
    if (!plan_.space.request.costs || open == queues_.end() || open->order.empty())
      return;
    constexpr std::size_t kMostRefused = 32;
    CostEstimate cost;
    PlanTrial trial;
    for (std::size_t i = 0; i < std::min(open->order.size(), kMostRefused); ++i)
      if (cost.memory == Bytes{}) {
        trial = trial_of(plan_.space, plan_.space.candidates[open->order[i]]);
        cost = cost_of(plan_.space, trial);
      }
    const std::size_t count = std::min<std::size_t>(count_queued(), left_);
    const double rounds =
        static_cast<double>(count) / static_cast<double>(std::min<std::size_t>(workers_, count));
    cost.time = measured_or(cost.time, rounds, trial) * rounds;
    plan_.space.request.costs(cost, count);
  }

  /// Of a simulation that many are like, the time that it takes; an estimate where that would be
  /// waited for, or all are over soon.
  Seconds measured_or(Seconds estimate, double rounds, const PlanTrial& trial) const {
    constexpr Seconds kSoon{5};
    constexpr Seconds kLong{20};
    if (estimate * rounds < kSoon || estimate > kLong)
      return estimate;
    const auto begin = std::chrono::steady_clock::now();
    run_trials(plan_.space, {trial}, 1, [] {});
    return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  }

  std::size_t count_queued() const {
    std::size_t count = 0;
    for (const Queue& queue : queues_)
      count += queue.order.size();
    return count;
  }

  /// A schedule with options that the user lists.
  std::pair<std::uint32_t, std::uint32_t> kind_of(std::size_t candidate) const {
    const PlanCandidate& each = plan_.space.candidates[candidate];
    return {each.schedule, each.listed};
  }

  /// Where not all can be simulated: each kind that does not cut the model, on one size.
  std::vector<std::size_t> kinds_round() {
    Queue& queue = queues_[queues_.size() / 2];
    const auto is_whole = [&](std::size_t i) {
      return !plan_.space.schedules[plan_.space.candidates[i].schedule].cuts;
    };
    const auto rest = std::stable_partition(queue.order.begin(), queue.order.end(), is_whole);
    queue.next = std::min<std::size_t>(static_cast<std::size_t>(rest - queue.order.begin()), left_);
    return {queue.order.begin(), queue.order.begin() + static_cast<std::ptrdiff_t>(queue.next)};
  }

  /// The next of a queue, by what is known of its kind where bounds are equal.
  std::size_t taken_from(Queue& queue) {
    const auto first = queue.order.begin() + static_cast<std::ptrdiff_t>(queue.next);
    const double bound = plan_.bounds[*first].sample_s;
    const auto end = std::find_if(first, queue.order.end(),
                                  [&](std::size_t i) { return plan_.bounds[i].sample_s > bound; });
    const auto best = std::min_element(
        first, end, [&](std::size_t a, std::size_t b) { return over_bound(a) < over_bound(b); });
    std::rotate(first, best, best + 1);
    return queue.order[queue.next++];
  }

  double over_bound(std::size_t candidate) const {
    const auto known = over_bounds_.find(kind_of(candidate));
    return known == over_bounds_.end() ? 1 : known->second;
  }

  std::vector<std::uint32_t> visits() const {
    std::vector<std::uint32_t> sites(queues_.size());
    std::iota(sites.begin(), sites.end(), 0U);
    std::ranges::stable_sort(sites, {}, [&](std::uint32_t site) {
      return std::pair(queues_[site].next, reversed_bits(site));
    });
    return sites;
  }

  std::uint32_t site_of(const Queue& queue) const {
    return plan_.space.candidates[queue.order.front()].site;
  }

  bool is_too_large(std::size_t candidate) const {
    const Bytes has = plan_.space.sites[plan_.space.candidates[candidate].site].memory;
    return has > Bytes{} && plan_.bounds[candidate].memory > has;
  }

  bool is_open(std::size_t site) const {
    const Queue& queue = queues_[site];
    if (queue.next == queue.order.size())
      return false;
    const double bound = plan_.bounds[queue.order[queue.next]].sample_s;
    return bound < queue.best && !is_dominated(site, bound);
  }

  /// Whether something simulated on the same cluster is at least as fast and as cheap as the bound:
  /// the best of each cluster is found, too.
  bool is_dominated(std::size_t site, double bound) const {
    const PlanSite& at = plan_.space.sites[site];
    const double hours = plan_.space.samples * bound / kHour / at.efficiency;
    const double cost = hours * at.hourly_cost;
    const std::optional<double> least = plan_.space.request.least_utilisation;
    return std::ranges::any_of(plan_.choices, [&](const PlanChoice& choice) {
      return choice.fits && plan_.space.sites[choice.trial.site].typed == at.typed &&
             choice.hours <= hours && choice.cost <= cost &&
             (!least || choice.utilisation >= *least);
    });
  }

  std::vector<std::size_t> next_round() {
    std::vector<std::size_t> round;
    for (bool any = true; any;) {
      any = false;
      for (const std::uint32_t site : visits())
        if (round.size() < most() && is_open(site)) {
          round.push_back(taken_from(queues_[site]));
          any = true;
        }
    }
    return round;
  }

  std::size_t most() const {
    return std::min<std::size_t>(std::max(kRound, plan_.choices.size() / 4), left_);
  }

  bool simulate(const std::vector<std::size_t>& round) {
    if (stop_signal() != 0) {
      missing_ += round.size();
      return false;
    }
    std::vector<PlanTrial> trials;
    for (const std::size_t candidate : round)
      trials.push_back(trial_of(plan_.space, plan_.space.candidates[candidate]));
    std::vector<TrialResult> results = run_trials(plan_.space, trials, workers_, finished_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].forecast)
        learn(round[i], sample_time(*results[i].forecast));
      take(std::move(trials[i]), std::move(results[i]));
    }
    return !round.empty();
  }

  void learn(std::size_t candidate, double time) {
    const double over = time / plan_.bounds[candidate].sample_s;
    const auto [known, is_new] = over_bounds_.try_emplace(kind_of(candidate), over);
    known->second = std::min(known->second, over);
  }

  void take(PlanTrial trial, TrialResult result) {
    if (result.is_missing()) {
      ++missing_;
      return;
    }
    if (!result.forecast) {
      ++plan_.refused[result.refusal];
      return;
    }
    left_ -= left_ > 0 ? 1 : 0;
    Queue& queue = queues_[trial.site];
    plan_.choices.push_back(choice_of(plan_.space, std::move(trial), *std::move(result.forecast)));
    const PlanChoice& choice = plan_.choices.back();
    if (choice.fits)
      queue.best = std::min(queue.best, sample_time(choice.forecast));
  }

  void count_rest() {
    for (std::size_t site = 0; site < queues_.size(); ++site) {
      const Queue& queue = queues_[site];
      for (std::size_t i = queue.next; i < queue.order.size(); ++i) {
        const double bound = plan_.bounds[queue.order[i]].sample_s;
        const bool open = bound < queue.best && !is_dominated(site, bound);
        ++(open ? plan_.open : plan_.bounded);
      }
    }
  }

  /// Where fewer were simulated than a report shows: the next of the best one's size.
  std::vector<std::size_t> more_of_the_best() {
    if (plan_.choices.empty() || plan_.choices.size() >= kShown)
      return {};
    const auto best = std::ranges::min_element(
        plan_.choices, [&](const auto& a, const auto& b) { return is_better(plan_, a, b); });
    Queue& queue = queues_[best->trial.site];
    std::vector<std::size_t> round;
    while (queue.next < queue.order.size() && round.size() < kShown - plan_.choices.size()) {
      round.push_back(queue.order[queue.next++]);
      --plan_.bounded;
    }
    return round;
  }

  CapacityPlan plan_;
  std::uint32_t workers_;
  std::uint32_t left_;
  const std::function<void()>& finished_;
  std::size_t missing_ = 0;  ///< Of a round that a signal ended.
  std::vector<Queue> queues_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> over_bounds_;  ///< The least, by kind.
};

}  // namespace

CapacityPlan search_plan(PlanSpace space, std::uint32_t workers, std::uint32_t most,
                         const std::function<void()>& finished) {
  CapacityPlan plan = Search(std::move(space), workers, most, finished).run();
  rank_choices(plan);
  return plan;
}

}  // namespace stepcast
