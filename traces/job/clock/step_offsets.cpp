#include "traces/job/clock/step_offsets.hpp"

#include <algorithm>
#include <cmath>

#include "traces/job/clock/clock_fit.hpp"
#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

/// What ended in a step, on its own.
ClockEvidence of_step(const ClockEvidence& all, std::uint32_t step) {
  ClockEvidence own{.hosts = all.hosts, .kinds = all.kinds, .begins = {all.begins[step]}};
  const auto take = [&](const auto& from, auto& to) {
    const auto number = [](const auto& each) { return each.step; };
    const auto first = std::ranges::lower_bound(from, step, {}, number);
    to.assign(first, std::ranges::upper_bound(from, step, {}, number));
    for (auto& each : to)
      each.step = 0;
  };
  take(all.ends, own.ends);
  take(all.messages, own.messages);
  take(all.bounds, own.bounds);
  return own;
}

}  // namespace

StepOffsets::StepOffsets(const ClockEvidence& evidence)
    : times_(evidence.begins),
      offsets_(evidence.hosts, std::vector<double>(evidence.begins.size(), NAN)),
      firsts_(evidence.hosts, std::vector<std::uint32_t>(evidence.begins.size(), evidence.hosts)) {
  for (std::uint32_t step = 0; step < evidence.begins.size(); ++step)
    add(evidence, step);
  for (const std::vector<std::uint32_t>& of_host : firsts_)
    first_.push_back(*std::ranges::min_element(of_host));
}

void StepOffsets::add(const ClockEvidence& evidence, std::uint32_t step) {
  const ClockEvidence own = of_step(evidence, step);
  if (own.ends.empty())
    return;
  times_[step] += own.ends.back().seen.front().end;
  ClockFit fit(own);
  fit.find_offsets();
  std::vector<std::uint32_t> first(hosts(), hosts());  // By part.
  for (std::uint32_t host = 0; host < hosts(); ++host) {
    std::uint32_t& of_part = first[fit.parts()[host]];
    of_part = std::min(of_part, host);
    firsts_[host][step] = of_part;
    offsets_[host][step] = fit.offsets()[host] - fit.offsets()[of_part];
  }
}

std::vector<StepOffset> StepOffsets::of(std::uint32_t host, std::size_t first,
                                        std::size_t end) const {
  std::vector<StepOffset> found;
  for (std::size_t step = first; step < end; ++step)
    if (!std::isnan(offsets_[host][step]) && firsts_[host][step] == first_[host])
      found.push_back({times_[step], offsets_[host][step]});
  return found;
}

double scatter_of(const std::vector<StepOffset>& offsets) {
  constexpr std::size_t kFewest = 3;
  constexpr double kOfDeviation = 1.4826;
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < offsets.size(); ++i) {
    const StepOffset& before = offsets[i - 1];
    const StepOffset& behind = offsets[i + 1];
    const double span = behind.at - before.at;
    const double share = span > 0 ? (offsets[i].at - before.at) / span : 0.5;
    const double line = before.ahead + share * (behind.ahead - before.ahead);
    off.push_back(std::abs(offsets[i].ahead - line) /
                  std::sqrt(1 + share * share + (1 - share) * (1 - share)));
  }
  return off.size() < kFewest ? INFINITY : kOfDeviation * middle_in_place(off);
}

}  // namespace stepcast
