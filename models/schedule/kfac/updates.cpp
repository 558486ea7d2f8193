#include "models/schedule/kfac/updates.hpp"

#include <iterator>

#include <fmt/format.h>

#include "models/schedule/options.hpp"
#include "models/schedule/period.hpp"

namespace stepcast::kfac {
namespace {

constexpr const char* kUpdate = "update";
constexpr const char* kFactorInterval = "factor_interval";
constexpr const char* kInverseInterval = "inverse_interval";

// Kinds of steps, by index.
constexpr const char* kKinds[] = {"inverses", "factors", "none"};

std::vector<std::uint32_t> order_of(std::uint32_t factor_interval, std::uint32_t inverse_interval) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t step = 0; step < inverse_interval; ++step)
    order.push_back(step == 0 ? 0 : step % factor_interval == 0 ? 1 : 2);
  return order;
}

void check(const OptionReader& read, std::uint32_t factor_interval,
           std::uint32_t inverse_interval) {
  if (inverse_interval % factor_interval != 0)
    read.fail(kInverseInterval, fmt::format("expected a multiple of factor_interval, {}, found {}",
                                            factor_interval, inverse_interval));
  if (!read.is(kUpdate, kKinds[0]))
    read.fail(kUpdate, fmt::format("expected inverses where intervals are above 1, found {}",
                                   read.text(kUpdate)));
}

}  // namespace

std::vector<OptionInfo> update_options() {
  return {
      choice_option(kUpdate, kKinds[0],
                    "what a step renews: inverses (and factors), factors or none (a step between "
                    "two updates, by itself)",
                    {std::begin(kKinds), std::end(kKinds)}),
      count_option(kFactorInterval, "1",
                   "factors are renewed in every so many steps; times are means over the steps",
                   kRepeats),
      count_option(kInverseInterval, kFactorInterval,
                   "inverses are renewed in every so many steps, a multiple of the factors'",
                   kRepeats, {kFactorInterval})};
}

Plan build_period(BuildStep build, const Workload& workload, const Cluster& cluster,
                  const OptionReader& read) {
  const std::uint32_t factor_interval = read.count(kFactorInterval);
  const std::uint32_t inverse_interval =
      read.is(kInverseInterval, kFactorInterval) ? factor_interval : read.count(kInverseInterval);
  if (factor_interval == 1 && inverse_interval == 1)
    return build(workload, cluster, read);
  check(read, factor_interval, inverse_interval);
  std::vector<Plan> kinds;
  for (const char* kind : kKinds)
    kinds.push_back(build(workload, cluster, read.with(kUpdate, kind)));
  return stepcast::period_of(kinds, order_of(factor_interval, inverse_interval));
}

}  // namespace stepcast::kfac
