#include "traces/job/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "traces/job/clock/clock_evidence.hpp"
#include "traces/job/clock/clock_fit.hpp"
#include "traces/job/clock/clock_jumps.hpp"
#include "traces/job/clock/uncoupled_hosts.hpp"
#include "traces/job/job.hpp"
#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

constexpr double kResolution = 1e-9;  // Seconds: profilers tell no less.

Seconds rounded(double seconds) {
  return Seconds{std::round(seconds / kResolution) * kResolution};
}

/// The hosts, and of each rank which one it is on.
std::vector<HostClock> hosts_of(const Job& job, std::vector<std::uint32_t>& host_of) {
  std::vector<HostClock> hosts;
  std::map<std::string, std::uint32_t> places;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const JobRank& of = job.ranks[rank];
    const std::string name = !of.host.empty()  ? of.host
                             : of.name.empty() ? fmt::format("rank {}", of.number)
                                               : of.name;
    const auto [found, added] = places.emplace(name, static_cast<std::uint32_t>(hosts.size()));
    if (added)
      hosts.push_back({.name = name});
    hosts[found->second].ranks.push_back(rank);
    host_of.push_back(found->second);
  }
  return hosts;
}

/// Adds to each host how often something ended on it, or began, against the order of a meeting.
void count_violations(const Job& job, const std::vector<std::uint32_t>& host_of,
                      std::size_t HostClock::*count, std::vector<HostClock>& hosts) {
  for (const JobStep& step : job.steps)
    for (const JobMeeting& meeting : step.meetings) {
      const auto at = [&](std::uint32_t member) -> const JobOperation& {
        return step.operations[member];
      };
      std::vector<std::uint32_t> members;
      for (const std::uint32_t member : meeting.members)
        if (!at(member).restored)
          members.push_back(member);
      if (members.size() < 2)
        continue;
      std::uint32_t last = members.front();
      for (const std::uint32_t member : members)
        if (!meeting.message && at(member).begin > at(last).begin)
          last = member;
      for (const std::uint32_t member : members)
        if (member != last && at(member).end < at(last).begin)
          ++(hosts[host_of[at(member).rank]].*count);
    }
}

void correct(Job& job, const RankClocks& clocks, const ClockFit& fit) {
  for (std::uint32_t number = 0; number < job.steps.size(); ++number)
    for (JobOperation& done : job.steps[number].operations)
      for (Seconds* time : {&done.begin, &done.end})
        time->value -= fit.correction(clocks.of(done.rank, number), number, time->value);
}

/// Where a step begins: with its first operation, or where the last rank has ended the step before,
/// if marks say so.
Seconds begin_of(const Job& job, const JobStep& step) {
  Seconds first{std::numeric_limits<double>::infinity()};
  Seconds mark{-std::numeric_limits<double>::infinity()};
  for (const JobOperation& done : step.operations) {
    first = std::min(first, done.begin);
    if (job.kinds[done.kind].work == JobWork::Host)
      mark = std::max(mark, done.begin);
  }
  return std::max(first, mark);
}

/// Whether more than half of the steps contradict themselves, which is then said.
bool contradict_throughout(const std::vector<ClockJump>& jumps, const Job& job, JobClocks& clocks) {
  std::set<std::uint32_t> steps;
  for (const ClockJump& jump : jumps)
    if (jump.within)
      steps.insert(jump.step);
  if (2 * steps.size() <= job.steps.size())
    return false;
  clocks.contradicted = steps.size();
  if (clocks.hosts.size() < job.ranks.size()) {
    std::vector<std::uint32_t> own(job.ranks.size());
    std::iota(own.begin(), own.end(), 0U);
    const auto count = static_cast<std::uint32_t>(own.size());
    const auto of_own = clock_jumps(clock_evidence(job, RankClocks(std::move(own), count)));
    clocks.by_hosts = std::ranges::none_of(of_own, &ClockJump::within);
  }
  return true;
}

/// Steps are numbered as without those that are left out. Of several hosts that jump at a time it
/// is not known that no other did.
void begin_clocks_anew(const std::map<std::uint32_t, std::set<std::uint32_t>>& jumped,
                       const std::set<std::uint32_t>& left_out, std::uint32_t hosts,
                       RankClocks& of_ranks) {
  for (const auto& [step, of_step] : jumped) {
    const auto before = std::distance(left_out.begin(), left_out.lower_bound(step));
    for (std::uint32_t host = 0; host < hosts; ++host)
      if (of_step.size() > 1 || of_step.contains(host))
        of_ranks.begin_anew(host, step - static_cast<std::uint32_t>(before));
  }
}

/// By step; none where clocks contradict each other throughout. Says whether two jobs do not wait
/// for each other, whose offsets tell no jumps.
std::vector<ClockJump> find_jumps(const ClockEvidence& evidence, const Job& job,
                                  JobClocks& clocks) {
  std::vector<ClockJump> jumps = clock_jumps(evidence);
  if (contradict_throughout(jumps, job, clocks))
    return {};
  const StepOffsets offsets(evidence);
  clocks.uncoupled = uncoupled_hosts(evidence, offsets);
  if (!clocks.uncoupled.empty())
    return jumps;
  const std::vector<ClockJump> of_offsets = jumps_of_offsets(offsets, evidence, jumps);
  jumps.insert(jumps.end(), of_offsets.begin(), of_offsets.end());
  std::ranges::stable_sort(jumps, {}, &ClockJump::step);
  return jumps;
}

/// How long a host's ranks took for a step, each by its own clock: the longest.
double length_of(const JobStep& step, const HostClock& host) {
  double longest = 0;
  for (const std::uint32_t rank : host.ranks) {
    double begin = std::numeric_limits<double>::infinity();
    double end = -begin;
    for (const JobOperation& done : step.operations)
      if (done.rank == rank) {
        begin = std::min(begin, done.begin.value);
        end = std::max(end, done.end.value);
      }
    longest = std::max(longest, end - begin);
  }
  return longest;
}

/// Whether the clock was set anew in the step before, behind the last collective: then the host
/// took so much longer, or less, than the others did.
bool is_stretched(const Job& job, const std::vector<HostClock>& hosts, const ClockJump& jump) {
  const JobStep& step = job.steps[jump.step - 1];
  std::vector<double> others;
  for (std::uint32_t host = 0; host < hosts.size(); ++host)
    if (host != jump.host)
      others.push_back(length_of(step, hosts[host]));
  const double off = length_of(step, hosts[jump.host]) - middle_of(std::move(others));
  return std::abs(off) > jump.seconds / 2;
}

/// False: no clock jumps. Clocks that move in many steps are found for each.
bool leave_out_jumps(const ClockEvidence& evidence, Job& job, RankClocks& of_ranks,
                     JobClocks& clocks) {
  constexpr std::size_t kMany = 4;  // A quarter of the steps.
  std::vector<ClockJump> jumps = find_jumps(evidence, job, clocks);
  if (jumps.empty())
    return false;
  const auto between = [](const ClockJump& jump) { return !jump.within; };
  std::map<std::uint32_t, std::set<std::uint32_t>> moved;  // Hosts, by step.
  for (const ClockJump& jump : jumps)
    if (between(jump))
      moved[jump.step].insert(jump.host);
  if (moved.size() > std::max<std::size_t>(1, job.steps.size() / kMany))
    std::erase_if(jumps, between);
  std::map<std::uint32_t, std::set<std::uint32_t>> jumped;
  for (const ClockJump& jump : jumps) {
    jumped[jump.step].insert(jump.host);
    clocks.jumps.push_back({clocks.hosts[jump.host].name, job.steps[jump.step].name,
                            clocks.hosts[jump.other].name, rounded(jump.seconds)});
  }
  std::set<std::uint32_t> left_out;
  for (const ClockJump& jump : jumps)
    if (between(jump) && jump.step > 0 && is_stretched(job, clocks.hosts, jump))
      left_out.insert(jump.step - 1);
  for (const auto& [step, hosts] : jumped) {
    left_out.insert(step);
    if (job.profiled && step + 1 < job.steps.size())
      left_out.insert(step + 1);  // Its mark is where the step before ended, on both clocks.
  }
  if (left_out.size() == job.steps.size()) {
    clocks.contradicted = left_out.size();
    clocks.jumps.clear();
    return false;
  }
  begin_clocks_anew(jumped, left_out, static_cast<std::uint32_t>(clocks.hosts.size()), of_ranks);
  clocks.left_out = left_out.size();
  std::vector<JobStep> kept;
  for (std::uint32_t step = 0; step < job.steps.size(); ++step)
    if (!left_out.contains(step))
      kept.push_back(std::move(job.steps[step]));
  job.steps = std::move(kept);
  return !jumps.empty();
}

void count_from_begin(Job& job) {
  for (JobStep& step : job.steps) {
    const Seconds begin = begin_of(job, step);
    for (JobOperation& done : step.operations) {
      done.begin = std::max(Seconds{}, done.begin - begin);
      done.end = std::max(Seconds{}, done.end - begin);
    }
  }
}

/// The parts of a step's clocks, numbered in order of the hosts, by the fit's.
std::map<std::uint32_t, std::uint32_t> parts_of(std::uint32_t step, const RankClocks& of_ranks,
                                                const ClockFit& fit, const JobClocks& clocks) {
  std::map<std::uint32_t, std::uint32_t> parts;
  for (const HostClock& clock : clocks.hosts)
    parts.emplace(fit.parts()[of_ranks.of(clock.ranks.front(), step)], parts.size());
  return parts;
}

/// What hosts are in a step that has most parts. Clocks before a jump and behind it are of no
/// common step, and need nothing that joins them.
void tell_hosts(const Job& job, const RankClocks& of_ranks, const ClockFit& fit,
                JobClocks& clocks) {
  std::uint32_t step = 0;
  auto parts = parts_of(step, of_ranks, fit, clocks);
  for (std::uint32_t other = 1; other < job.steps.size(); ++other)
    if (auto more = parts_of(other, of_ranks, fit, clocks); more.size() > parts.size()) {
      step = other;
      parts = std::move(more);
    }
  clocks.parts = job.one_clock ? 1 : static_cast<std::uint32_t>(parts.size());
  const auto residuals = fit.residuals_by_host();
  const std::vector<double> widths = fit.widths_by_host();
  std::map<std::uint32_t, double> first;  // Offset of the first host of each part.
  for (HostClock& clock : clocks.hosts) {
    const std::uint32_t own = of_ranks.of(clock.ranks.front(), step);
    clock.part = job.one_clock ? 0 : parts.at(fit.parts()[own]);
    // What is subtracted grows with the clock's own time.
    const double rate = 1 / (1 - fit.drifts()[own]);
    const double offset = fit.offsets()[own];
    const double of_first = first.emplace(clock.part, offset).first->second;
    clock.offset = rounded((offset - of_first) * rate) + job.ranks[clock.ranks.front()].shifted;
    clock.drift = fit.drifts()[own] * rate;
    clock.half_width = rounded(std::max(residuals[own].first, widths[own]));
    clock.collectives = residuals[own].second;
  }
}

}  // namespace

JobClocks put_on_one_clock(Job& job) {
  std::vector<std::uint32_t> host_of;
  JobClocks clocks{.hosts = hosts_of(job, host_of)};
  RankClocks of_ranks(host_of, static_cast<std::uint32_t>(clocks.hosts.size()));
  ClockEvidence evidence = clock_evidence(job, of_ranks);
  if (!job.one_clock && leave_out_jumps(evidence, job, of_ranks, clocks))
    evidence = clock_evidence(job, of_ranks);
  count_violations(job, host_of, &HostClock::violations_before, clocks.hosts);
  ClockFit fit(evidence);
  if (clocks.hosts.size() > 1 && !job.one_clock) {
    fit.find_offsets();
    fit.try_drift();
    fit.try_steps();
    fit.obey_bounds();
    correct(job, of_ranks, fit);
  }
  clocks.residual = Seconds{fit.residual()};
  clocks.by_step = fit.by_step();
  tell_hosts(job, of_ranks, fit, clocks);
  count_violations(job, host_of, &HostClock::violations_after, clocks.hosts);
  count_from_begin(job);
  return clocks;
}

}  // namespace stepcast
