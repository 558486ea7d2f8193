#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/search/plan/outlook.hpp"

namespace stepcast {
namespace {

std::vector<NamedTime> parts_of(const Breakdown& breakdown) {
  std::vector<NamedTime> parts{{"forward", breakdown.forward},
                               {"backward", breakdown.backward},
                               {"recomputation", breakdown.recomputation}};
  for (const NamedTime& each : breakdown.other_compute)
    parts.push_back(each);
  for (const NamedTime& each : breakdown.exposed_communication)
    parts.push_back({"exposed " + each.name, each.time});
  parts.push_back({"waiting for slower ranks", breakdown.waiting});
  parts.push_back({"pipeline bubble", breakdown.bubble});
  parts.push_back({"idle", breakdown.idle});
  return parts;
}

/// The two largest parts that take longer here, per sample.
std::string longer_parts(const PlanChoice& choice, const PlanChoice& best) {
  const auto share = [](const PlanChoice& of, Seconds part) {
    return part.value / of.forecast.iteration_time.value * sample_time(of.forecast);
  };
  std::vector<std::pair<double, std::string>> longer;
  const std::vector<NamedTime> others = parts_of(best.forecast.breakdown);
  for (const NamedTime& part : parts_of(choice.forecast.breakdown)) {
    const auto other = std::ranges::find(others, part.name, &NamedTime::name);
    const double more =
        share(choice, part.time) - (other == others.end() ? 0 : share(best, other->time));
    if (more > sample_time(best.forecast) * 1e-3)
      longer.emplace_back(more / sample_time(best.forecast), part.name);
  }
  std::ranges::sort(longer, std::greater<>{});
  longer.resize(std::min<std::size_t>(longer.size(), 2));
  std::vector<std::string> texts;
  for (const auto& [more, name] : longer)
    texts.push_back(fmt::format("{} +{}", name, percent(more)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string against_best(const CapacityPlan& plan, const PlanChoice& choice) {
  const PlanChoice& best = plan.choices.front();
  const double slower = sample_time(choice.forecast) / sample_time(best.forecast) - 1;
  if (choice.trial.site != best.trial.site)
    return fmt::format("{:.3g} times the hours and {:.3g} times the cost of the best",
                       choice.hours / best.hours, choice.cost / best.cost);
  if (slower < 1e-4)
    return "as fast as the best, within a ten-thousandth";
  std::string text = fmt::format("{} slower than the best", percent(slower));
  const std::string parts = longer_parts(choice, best);
  return parts.empty() ? text : text.append(": ").append(parts);
}

std::string missed(const PlanRequest& request, const PlanChoice& choice) {
  constexpr double kHour = 3600;
  if (request.deadline && choice.hours * kHour > request.deadline->value)
    return "misses the deadline";
  return request.budget && choice.cost > *request.budget ? "misses the budget"
                                                         : "misses the utilisation";
}

}  // namespace

void add_reasons(CapacityPlan& plan, std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, plan.choices.size()); ++i) {
    PlanChoice& choice = plan.choices[i];
    const PlanSite& site = plan.space.sites[choice.trial.site];
    if (i == 0)
      choice.why = choice.forecast.why;
    else
      choice.why.push_back(against_best(plan, choice));
    if (!choice.fits)
      choice.why.insert(
          choice.why.begin(),
          fmt::format("does not fit: needs {} of {}", format_bytes(choice.forecast.memory.total()),
                      format_bytes(site.memory)));
    else if (!choice.meets)
      choice.why.insert(choice.why.begin(), missed(plan.space.request, choice));
  }
}

}  // namespace stepcast
