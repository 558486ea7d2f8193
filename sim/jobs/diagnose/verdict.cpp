#include "sim/jobs/diagnose/verdict.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/diagnose/pass_variation.hpp"
#include "sim/jobs/diagnose/ranks_apart.hpp"
#include "sim/jobs/diagnose/slow_links.hpp"
#include "sim/jobs/diagnose/step_as_others.hpp"

namespace stepcast {
namespace {

/// Of the operations the share that was lost, by how many members of meetings are not there: the
/// time of work that was lost counts as delays. 0 while ranks are missing, whose members are none.
double lost_share(const Job& job) {
  if (missing_ranks(job).any())
    return 0;
  double there = 0;
  double expected = 0;
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations) {
      if (!done.alone && done.meeting == kNoMeeting)
        continue;
      const JobKind& kind = job.kinds[done.kind];
      const double met =
          done.alone ? 1 : static_cast<double>(step.meetings[done.meeting].members.size());
      const double all = kind.purpose == JobPurpose::Message || kind.ranks < 2 ? 2 : kind.ranks;
      there += 1;
      expected += std::max(met, all) / met;
    }
  return expected > 0 ? 1 - there / expected : 0;
}

class Judge {
 public:
  Judge(const Diagnosis& diagnosis, const JobReplay& replay, const VerdictThresholds& thresholds)
      : diagnosis_(diagnosis), replay_(replay), thresholds_(thresholds) {
    waste_ = (diagnosis.undelayed_step - diagnosis.ideal_step).value;
    simulated_ = mean_of(replay.delayed());
    delays_ = 1 - mean_of(replay.without_host()) / simulated_;
  }

  JobVerdict run() const {
    JobVerdict verdict = judged();
    if (ranks_missing())
      verdict.text.insert(0, in_words(diagnosis_.missing, recorded()) + " ");
    if (const std::vector<std::string>& kinds = replay_.job().doubtful; !kinds.empty())
      verdict.text.insert(
          0, fmt::format("Doubtful, as neither names nor times tell whether {} {} computation, as "
                         "is assumed here, or communication. ",
                         fmt::join(kinds, ", "), kinds.size() == 1 ? "is" : "are"));
    return verdict;
  }

 private:
  JobVerdict judged() const {
    if (auto verdict = checkpoints_verdict(diagnosis_, replay_, thresholds_))
      return *verdict;
    const bool wasteful = diagnosis_.slowdown >= thresholds_.slowdown;
    const double wasted = waste_ / simulated_;
    if (wasteful && (wasted >= delays_ || is_lossy()))
      if (auto cause = cause_of_waste())
        return *cause;
    // The job as even may be slow, too, where half of the links are.
    const double least = diagnosis_.undelayed_step.value * (1 - 1 / thresholds_.slowdown);
    const auto link = [&] { return slow_link(UsualTransfer::Quickest, least); };
    if (delays_ > thresholds_.delays + lost_share(replay_.job())) {
      if (const auto verdict = is_lossy() ? link() : std::nullopt)
        return *verdict;
      return launches();
    }
    if (wasteful)
      if (auto cause = cause_of_waste())
        return *cause;
    if (auto verdict = collectives_verdict(diagnosis_, replay_, thresholds_);
        verdict && !ranks_missing())
      return *verdict;
    if (auto verdict = link())
      return *verdict;
    const double exposed = exposed_share();
    if (ranks_missing())
      return unknown(exposed);
    if (!wasteful && exposed > thresholds_.exposed)
      return {VerdictKind::Network, "",
              fmt::format("The network holds up the job as a whole: {} of the ideal step goes with "
                          "transfers that hide behind nothing, and no rank is late.",
                          percent(exposed))};
    return nothing(wasteful);
  }

  std::optional<JobVerdict> cause_of_waste() const;
  std::optional<JobVerdict> worker() const;
  std::optional<JobVerdict> slow(const std::vector<std::uint32_t>& ranks, double share) const;
  std::optional<JobVerdict> stage() const;
  std::optional<JobVerdict> network() const;
  std::optional<JobVerdict> slow_link(UsualTransfer usual, double least) const;
  JobVerdict launches() const;
  JobVerdict nothing(bool wasteful) const;
  JobVerdict unknown(double exposed) const;
  bool ranks_missing() const { return diagnosis_.missing.any(); }
  std::size_t recorded() const {
    return static_cast<std::size_t>(std::ranges::count(diagnosis_.ranks, false, &JobRank::serves));
  }
  double exposed_share() const;
  bool is_lossy() const;
  /// The share of the waste that goes with a step of so many seconds.
  double share_without(double step) const {
    return (diagnosis_.undelayed_step.value - step) / waste_;
  }
  /// With events missing waits count as delays, and what is left may explain more than there is.
  static std::string of_the_waste(double share) {
    return share >= 1 ? "all of the waste" : percent(share) + " of the waste";
  }
  std::string step_instead(double seconds) const {
    return fmt::format("a step takes {} instead of {}", format_seconds(Seconds{seconds}),
                       format_seconds(diagnosis_.undelayed_step));
  }

  const Diagnosis& diagnosis_;
  const JobReplay& replay_;
  const VerdictThresholds& thresholds_;
  double simulated_ = 0;  // The mean of all steps, of those that stalled too.
  double waste_ = 0;
  double delays_ = 0;  // The share of it that goes with the host's delays.
};

/// The worst ranks, or those that compute longer than all others, if that explains more.
std::optional<JobVerdict> Judge::worker() const {
  constexpr double kMore = 0.1;
  const WasteExplained& worst = diagnosis_.worst_ranks;
  const std::vector<std::uint32_t> apart = ranks_apart(diagnosis_);
  const double share =
      apart.empty() ? 0 : share_without(replay_.mean_if([&](const JobOperation& done) {
        return !std::ranges::binary_search(apart, done.rank);
      }));
  if (share > worst.share.value_or(0) + kMore)
    if (auto verdict = slow(apart, share))
      return verdict;
  return worst.share ? slow(worst.ranks, *worst.share) : std::nullopt;
}

std::optional<JobVerdict> Judge::slow(const std::vector<std::uint32_t>& ranks, double share) const {
  // The only rank of a stage cannot be told from its stage.
  const bool one_group = diagnosis_.by_data.size() == 1 && diagnosis_.stages > 1;
  if (share <= thresholds_.explained || one_group)
    return std::nullopt;
  const double undelayed = diagnosis_.undelayed_step.value;
  // As slow as its stage is no slow worker.
  if (diagnosis_.stages > 1) {
    const auto computing = step_as_others(replay_, ranks, AsOthers::Computation);
    if (share_without(computing.value_or(undelayed)) <= thresholds_.explained)
      return std::nullopt;
  }
  const auto step = step_as_others(replay_, ranks, AsOthers::All);
  if (!step)
    return std::nullopt;
  const std::string subject = in_words(diagnosis_, ranks);
  return JobVerdict{
      VerdictKind::Worker, subject,
      fmt::format("Slow: {}. With {} work as fast as the others' {}, {} less. {} {}.", subject,
                  ranks.size() == 1 ? "its" : "their", step_instead(*step),
                  percent(1 - *step / undelayed),
                  ranks.size() == 1 ? "It explains" : "They explain", of_the_waste(share))};
}

/// By what a stage computes: its messages may be slow because a link is.
std::optional<JobVerdict> Judge::stage() const {
  if (!diagnosis_.gains.even_stages)
    return std::nullopt;
  const Job& job = replay_.job();
  double share = 0;
  std::uint32_t place = 0;
  for (std::uint32_t stage = 0; stage < diagnosis_.stages; ++stage) {
    const double of_stage = share_without(replay_.mean_if([&](const JobOperation& done) {
      return diagnosis_.ranks[done.rank].stage != stage ||
             job.kinds[done.kind].work == JobWork::Transfer;
    }));
    if (of_stage > share)
      place = stage;
    share = std::max(share, of_stage);
  }
  if (share <= thresholds_.explained)
    return std::nullopt;
  const PartSlowdown& slowest = diagnosis_.by_stage[place];
  const std::string subject = "stage " + slowest.name;
  return JobVerdict{
      VerdictKind::Stage, subject,
      fmt::format("Uneven stages: {}{} has more work than the others. With the work spread evenly "
                  "over the stages {}; as it is, {} alone slows an ideal step down {:.2f} times.",
                  subject, place + 1 == diagnosis_.stages ? ", the last," : "",
                  step_instead(diagnosis_.gains.even_stages->value), subject, slowest.slowdown)};
}

/// One with which a step takes so many seconds more, at least.
std::optional<JobVerdict> Judge::slow_link(UsualTransfer usual, double least) const {
  if (ranks_missing())
    return std::nullopt;  // a transfer may have waited for one of these
  const SlowLinks links = find_slow_links(replay_, thresholds_.slow_transfers, usual);
  if (links.step == 0 || diagnosis_.undelayed_step.value - links.step <= least)
    return std::nullopt;
  return JobVerdict{
      VerdictKind::Network, links.common.empty() ? "" : "link of " + links.common,
      fmt::format("A slow link{}: its transfers take up to {:.1f} times {}. With usual ones {}.",
                  links.common.empty() ? "" : " of " + links.common, links.ratio,
                  usual == UsualTransfer::Ideal ? "the median of their kind"
                                                : "as long as the quickest of their kind",
                  step_instead(links.step))};
}

std::optional<JobVerdict> Judge::network() const {
  if (ranks_missing())
    return std::nullopt;  // a transfer may have waited for one of these
  const double even_transfers = replay_.mean_with(
      [](const ReplayedOperation& of) { return of.transfers() ? of.ideal : of.actual; });
  const double share = share_without(even_transfers);
  if (share <= thresholds_.explained)
    return std::nullopt;
  if (auto verdict = slow_link(UsualTransfer::Ideal, thresholds_.explained * waste_))
    return verdict;
  if (auto verdict = slow_link(UsualTransfer::Quickest, thresholds_.explained * waste_))
    return verdict;
  return JobVerdict{VerdictKind::Network, "",
                    fmt::format("Transfers vary: with each as long as the median of its kind {}, "
                                "{} less. No link stands out.",
                                step_instead(even_transfers), of_the_waste(share))};
}

std::optional<JobVerdict> Judge::cause_of_waste() const {
  if (auto verdict = worker())
    return verdict;
  const PassVariation variation = pass_variation(replay_);
  const double varied = share_without(variation.step);
  const double uneven = (variation.uneven_stages - diagnosis_.ideal_step.value) / waste_;
  const double paused = share_without(variation.step_forward);
  const bool by_batch = varied > std::max(uneven, 0.5 * thresholds_.explained);
  if (by_batch && variation.correlation > thresholds_.correlation)
    return JobVerdict{
        VerdictKind::Data, "",
        fmt::format("Uneven micro-batches (sequence lengths, for example): those slow in the "
                    "forward pass are slow in the backward pass (correlation {:.2f}), on other "
                    "ranks each time. With each pass as long as its rank's mean {}.",
                    variation.correlation, step_instead(variation.step))};
  if (auto verdict = stage())
    return verdict;
  if (by_batch && paused > 0.5 * varied)
    return JobVerdict{
        VerdictKind::Host, "",
        fmt::format("Pauses of the host (garbage collection, for example): single forward passes "
                    "are slow, their backward passes are not (correlation {:.2f}). With each "
                    "pass as long as its rank's mean {}.",
                    variation.correlation, step_instead(variation.step))};
  if (auto verdict = collectives_verdict(diagnosis_, replay_, thresholds_))
    return verdict;
  return network();
}

JobVerdict Judge::launches() const {
  if (const std::string missing = missing_work(replay_.job()); !missing.empty())
    return {VerdictKind::None, "",
            fmt::format("What holds up the job is not known: {} are not recorded, and {} of a step "
                        "goes with delays that are waits for these, or the host's.",
                        missing, percent(delays_))};
  if (auto verdict = pauses_verdict(diagnosis_, replay_, thresholds_))
    return *verdict;
  const Seconds usual = diagnosis_.simulated_step;
  const double usual_delays = 1 - diagnosis_.gains.no_host_gaps / usual;
  const std::string of_usual = fmt::format(
      "without its delays, during which no work is waited for, a {}step takes {} "
      "instead of {} ({}).",
      diagnosis_.pace.stalled_steps > 0 ? "usual " : "",
      format_seconds(diagnosis_.gains.no_host_gaps), format_seconds(usual), percent(usual_delays));
  const bool one = diagnosis_.pace.stalled_steps == 1;
  if (simulated_ - usual.value > thresholds_.delays * simulated_)
    return {
        VerdictKind::Host, "",
        fmt::format("The job stalls, as its data or its host come late: {} of {} steps {} {}{}, "
                    "the usual ones {}.{}",
                    diagnosis_.pace.stalled_steps, diagnosis_.steps, one ? "takes" : "take",
                    format_seconds(diagnosis_.pace.stalled), one ? "" : " on average",
                    format_seconds(diagnosis_.pace.usual),
                    usual_delays > thresholds_.delays
                        ? " The host holds up the usual ones, too: " + of_usual
                        : "")};
  return {VerdictKind::Host, "", "The host holds up the job: " + of_usual};
}

/// Of the ideal step, what goes with free transfers.
double Judge::exposed_share() const {
  const double free = replay_.mean_with(
      [](const ReplayedOperation& of) { return of.transfers() ? 0.0 : of.ideal; });
  return 1 - free / diagnosis_.ideal_step.value;
}

/// Where partners are missing, other events are too, and their time counts as delays.
bool Judge::is_lossy() const {
  return std::ranges::any_of(replay_.job().steps, [](const JobStep& step) {
    return std::ranges::any_of(step.operations, &JobOperation::alone);
  });
}

/// While ranks are missing nobody can know whether they are late.
JobVerdict Judge::unknown(double exposed) const {
  constexpr double kShown = 0.0005;
  const double waits = 1 - diagnosis_.undelayed_step / diagnosis_.gains.no_host_gaps;
  const std::string waited =
      waits < kShown
          ? ""
          : fmt::format("{} of a step goes with waits for what is missing, and ", percent(waits));
  return {VerdictKind::None, "",
          fmt::format("Of those that are recorded nobody holds up the job. Whether another rank or "
                      "the network does is not known: {}{} of the ideal step goes with transfers "
                      "that hide behind nothing, which may {}be waits for ranks that are missing.",
                      waited, percent(exposed), waited.empty() ? "" : "also ")};
}

JobVerdict Judge::nothing(bool wasteful) const {
  if (diagnosis_.ideal_step > diagnosis_.undelayed_step && is_lossy())
    return {VerdictKind::None, "",
            fmt::format("Nobody is seen to hold up the job, of which events are missing: with all "
                        "work even a step would take {}, no less than the {} that what is there "
                        "adds up to.",
                        format_seconds(diagnosis_.ideal_step),
                        format_seconds(diagnosis_.undelayed_step))};
  if (!wasteful)
    return {VerdictKind::None, "",
            fmt::format("Nobody {}: with all work even a step would take {} instead of {}.",
                        is_lossy() ? "is seen to hold up the job, of which events are missing"
                                   : "holds up the job",
                        format_seconds(diagnosis_.ideal_step),
                        format_seconds(diagnosis_.undelayed_step))};
  const auto largest = std::ranges::max_element(diagnosis_.by_kind, {}, &PartSlowdown::slowdown);
  return {VerdictKind::None, "",
          fmt::format("No single cause explains {} of the waste; most comes with {}, which alone "
                      "slows an ideal step down {:.2f} times.",
                      percent(thresholds_.explained), largest->name, largest->slowdown)};
}

/// Whether it rests on the clocks of several ranks: it says that some are slower than others or
/// wait for them, or that what they do is late, which clocks that drift apart feign.
bool compares_ranks(VerdictKind kind) {
  return kind != VerdictKind::None && kind != VerdictKind::Checkpoints;
}

}  // namespace

JobVerdict verdict_of(const Diagnosis& diagnosis, const JobReplay& replay,
                      const VerdictThresholds& thresholds) {
  JobVerdict verdict = Judge(diagnosis, replay, thresholds).run();
  if (diagnosis.clocks.parts > 1 && compares_ranks(verdict.kind))
    return {VerdictKind::None, "",
            fmt::format("Who holds up the job cannot be said: nothing joins the clocks of {} parts "
                        "of its ranks.",
                        diagnosis.clocks.parts)};
  return verdict;
}

}  // namespace stepcast
