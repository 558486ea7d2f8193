#include "sim/study/plan/improve.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "models/schedule/registry.hpp"
#include "sim/study/stop.hpp"
#include "sim/study/tuning/tuned_option.hpp"

namespace stepcast {
namespace {

constexpr int kRounds = 6;
constexpr std::size_t kMostSizes = 8;
constexpr double kGain = 1e-6;  // of rounding at least

constexpr std::array kCounted{"micro_batch", "virtual_stages"};

/// Trials that differ from one by one option.
class Moves {
 public:
  Moves(const PlanSpace& space, const PlanTrial& from) : space_(space), from_(from) {
    const std::string& name = space.schedules[from.schedule].name;
    if (const PipelineInfo* pipeline = find_pipeline(name))
      add_of_layout(*pipeline);
    else
      for (const OptionInfo& option : schedule_of(name).options)
        add_of(option);
  }

  std::vector<PlanTrial> all() && { return std::move(moves_); }

 private:
  bool is_listed(const std::string& name) const {
    return std::ranges::find(space_.request.options, name, &ListedOption::name) !=
           space_.request.options.end();
  }

  void add(const std::string& name, const std::string& value) {
    moves_.push_back(from_);
    moves_.back().options[name] = value;
  }

  void add_of_layout(const PipelineInfo& pipeline) {
    for (const OptionInfo& option : pipeline.options)
      add_alternatives(option);
    for (const char* name : kCounted)
      if (const auto now = from_.options.find(name); now != from_.options.end() && !is_listed(name))
        add_near(name, std::stoul(now->second));
  }

  void add_near(const std::string& name, unsigned long now) {
    std::set<unsigned long> near{now * 2, now + 1, now * 3, std::max(now / 2, 1UL),
                                 std::max(now - 1, 1UL)};
    near.erase(now);
    for (const unsigned long value : near)
      add(name, std::to_string(value));
  }

  const std::string& now(const OptionInfo& option) const {
    const auto given = from_.options.find(option.name);
    return given == from_.options.end() ? option.default_value : given->second;
  }

  void add_alternatives(const OptionInfo& option) {
    if (!is_listed(option.name))
      for (const std::string& word : option.alternatives)
        if (word != now(option))
          add(option.name, word);
  }

  // Of data parallelism: sizes of buffers too.
  void add_of(const OptionInfo& option) {
    const bool is_word = std::ranges::find(option.words, now(option)) != option.words.end();
    if (option.kind == OptionKind::Size && !is_word && !is_listed(option.name)) {
      const double size = parse_option(option, now(option));
      for (const double factor : {0.5, 2.0})
        if (option.range.contains(size * factor))
          add(option.name, write_value(OptionUnit::Size, size * factor));
    }
    add_alternatives(option);
  }

  const PlanSpace& space_;
  const PlanTrial& from_;
  std::vector<PlanTrial> moves_;
};

/// The best of a size, which is changed for as long as that helps.
struct Climber {
  PlanTrial at;
  double sample_s = 0;
};

std::vector<Climber> climbers_of(const CapacityPlan& plan) {
  std::vector<Climber> climbers;
  for (const std::size_t i : plan.front)
    if (climbers.size() < kMostSizes)
      climbers.push_back({plan.choices[i].trial, sample_time(plan.choices[i].forecast)});
  return climbers;
}

/// One round of all; those that nothing helps any more leave.
void climb(CapacityPlan& plan, std::vector<Climber>& climbers, std::uint32_t workers,
           const std::function<void()>& finished) {
  std::vector<PlanTrial> trials;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < climbers.size(); ++i)
    for (PlanTrial& trial : Moves(plan.space, climbers[i].at).all()) {
      trials.push_back(std::move(trial));
      of.push_back(i);
    }
  std::vector<TrialResult> results = run_trials(plan.space, trials, workers, finished);
  std::vector<std::optional<PlanChoice>> best(climbers.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].forecast)
      continue;
    PlanChoice choice = choice_of(plan.space, trials[i], *std::move(results[i].forecast));
    const double time = sample_time(choice.forecast);
    if (!choice.fits || time >= climbers[of[i]].sample_s * (1 - kGain))
      continue;
    climbers[of[i]] = {choice.trial, time};
    best[of[i]] = std::move(choice);
  }
  std::vector<Climber> left;
  for (std::size_t i = 0; i < climbers.size(); ++i)
    if (best[i]) {
      plan.choices.push_back(*std::move(best[i]));
      left.push_back(climbers[i]);
    }
  climbers = std::move(left);
}

}  // namespace

void improve_plan(CapacityPlan& plan, std::uint32_t workers,
                  const std::function<void()>& finished) {
  std::vector<Climber> climbers = climbers_of(plan);
  for (int round = 0; round < kRounds && !climbers.empty() && stop_signal() == 0; ++round)
    climb(plan, climbers, workers, finished);
  rank_choices(plan);
}

void find_memory_front(CapacityPlan& plan, std::uint32_t workers,
                       const std::function<void()>& finished) {
  constexpr std::size_t kMost = 12;
  if (plan.choices.empty() || !plan.choices.front().fits)
    return;
  const std::uint32_t site = plan.choices.front().trial.site;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.bounds.size(); ++i)
    if (plan.space.candidates[i].site == site && plan.bounds[i].refusal.empty() &&
        plan.bounds[i].memory > Bytes{})
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return plan.bounds[i].sample_s; });
  std::vector<PlanTrial> trials;
  Bytes least{std::numeric_limits<double>::infinity()};
  for (const std::size_t i : order) {
    // A step down that is worth telling of.
    if (plan.bounds[i].memory >= least * 0.9 || trials.size() == kMost)
      continue;
    least = plan.bounds[i].memory;
    trials.push_back(trial_of(plan.space, plan.space.candidates[i]));
  }
  std::vector<TrialResult> results = run_trials(plan.space, trials, workers, finished);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].forecast)
      plan.choices.push_back(choice_of(plan.space, trials[i], *std::move(results[i].forecast)));
  rank_choices(plan);
}

}  // namespace stepcast
