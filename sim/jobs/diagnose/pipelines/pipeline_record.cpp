#include "sim/jobs/diagnose/pipelines/pipeline_record.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/jobs/diagnose/pipelines/recorded_passes.hpp"
#include "sim/jobs/job_replay.hpp"

namespace stepcast {
namespace {

/// Sums of delays leave rounding behind.
Seconds tidy(double time) {
  constexpr double kRounding = 1e-12;
  return Seconds{time > kRounding ? time : 0};
}

/// Transfers as they are added up.
struct TransferSum {
  double count = 0;
  double time = 0;
  double bytes = 0;
  bool sized = true;
  bool scatters = false;

  RecordedTransfers mean(double over) const {
    RecordedTransfers of{.count = count / over, .scatters = scatters};
    if (count > 0)
      of.time = Seconds{time / count};
    if (count > 0 && sized)
      of.bytes = Bytes{bytes / over};
    return of;
  }
};

struct StageSum {
  double update = 0;
  double before_sums = 0;
  double once = 0;
  TransferSum sums, parameters, message;
};

/// Of the delays of each rank in a step, by how much one is beyond the mean of its stage, at most.
double most_uneven(const std::vector<double>& delays, const Job& job) {
  std::vector<double> sums(job.stages), counts(job.stages), most(job.stages);
  for (std::size_t rank = 0; rank < delays.size(); ++rank) {
    const std::uint32_t stage = job.ranks[rank].stage;
    sums[stage] += delays[rank];
    counts[stage] += 1;
    most[stage] = std::max(most[stage], delays[rank]);
  }
  double uneven = 0;
  for (std::uint32_t stage = 0; stage < job.stages; ++stage)
    uneven = std::max(uneven, most[stage] - sums[stage] / counts[stage]);
  return uneven;
}

class Recorder {
 public:
  Recorder(const Job& job, bool ideal)
      : job_(job),
        replay_(job),
        ideal_(ideal),
        forward_(std::size_t{job.stages} * std::max(1U, job.shape.chunks)),
        backward_(forward_),
        stages_(job.stages) {}

  PipelineRecord run() {
    for (std::uint32_t step = 0; step < job_.steps.size(); ++step) {
      passed_.assign(job_.stages, Seconds{});
      for (const JobOperation& done : job_.steps[step].operations)
        if (kind_of(done).work == JobWork::Backward)
          passed_[stage_of(done)] = std::max(passed_[stage_of(done)], done.end);
      delayed_.assign(job_.ranks.size(), 0);
      for (std::uint32_t rank = 0; rank < job_.ranks.size(); ++rank)
        add_rank(step, rank);
      uneven_ += most_uneven(delayed_, job_);
    }
    return means();
  }

 private:
  const JobKind& kind_of(const JobOperation& done) const { return job_.kinds[done.kind]; }

  std::uint32_t stage_of(const JobOperation& done) const { return job_.ranks[done.rank].stage; }

  std::uint32_t part_of(const JobOperation& done) const {
    return job_.shape.chunks > 1 ? done.chunk % static_cast<std::uint32_t>(forward_.size())
                                 : stage_of(done);
  }

  void add_rank(std::uint32_t number, std::uint32_t rank) {
    const auto& operations = job_.steps[number].operations;
    bool first = true;
    last_backward_ = last_backward(operations, rank);
    first_pass_ = first_pass(operations, rank);
    last_sum_ = last_sum(number, rank);
    for (std::uint32_t place = 0; place < operations.size(); ++place) {
      const JobOperation& done = operations[place];
      if (done.rank != rank)
        continue;
      const double time = ideal_ ? replay_.ideal(number)[place] : replay_.actual(number)[place];
      const double delay = ideal_ ? 0 : replay_.delays(number)[place];
      const JobWork work = kind_of(done).work;
      if (work == JobWork::Transfer)
        add_transfer(job_.steps[number], done, time, delay);
      else if (work == JobWork::Forward || work == JobWork::Backward)
        add_pass(done, time, delay, std::exchange(first, false));
      else if (work != JobWork::Host)
        add_other(done, time, delay);
    }
  }

  // The host's delay before a step's first pass is none of every pass.
  void add_pass(const JobOperation& done, double time, double delay, bool first) {
    auto& of = kind_of(done).work == JobWork::Forward ? forward_ : backward_;
    of[part_of(done)] += first ? time : time + delay;
    delayed_[done.rank] += delay;
    if (first)
      stages_[stage_of(done)].once += delay;
  }

  void add_other(const JobOperation& done, double time, double delay) {
    StageSum& stage = stages_[stage_of(done)];
    double& once = once_of(done);
    const double own = late(done, delay);
    once += own;
    delayed_[done.rank] += own;
    (kind_of(done).updates ? stage.update : once) += time;
  }

  /// Between the last pass and the last sum of gradients others may be late, and nobody waits.
  bool is_before_sums(const JobOperation& done) const {
    return done.begin >= last_backward_ && done.begin <= last_sum_;
  }
  double& once_of(const JobOperation& done) {
    StageSum& stage = stages_[stage_of(done)];
    return is_before_sums(done) ? stage.before_sums : stage.once;
  }

  /// A delay that no pass has. Before sums it is none while another copy still has passes, for
  /// which a collective may wait that is not recorded.
  double late(const JobOperation& done, double delay) const {
    return is_before_sums(done)
               ? std::clamp((done.begin - passed_[stage_of(done)]).value, 0.0, delay)
               : delay;
  }

  void add_transfer(const JobStep& step, const JobOperation& done, double time, double delay) {
    const JobKind& kind = kind_of(done);
    StageSum& stage = stages_[stage_of(done)];
    const std::set<std::uint32_t> met = stages_met(step, done);
    const auto add = [&](TransferSum& sum) {
      ++sum.count;
      sum.time += time;
      sum.bytes += kind.size.value;
      sum.sized = sum.sized && kind.size > Bytes{};
      sum.scatters = sum.scatters || kind.scatters;
    };
    if (kind.purpose == JobPurpose::Message)
      return met.size() == 2 ? add(stages_[*met.begin()].message) : void();
    double& once = once_of(done);
    const bool beside = kind.purpose == JobPurpose::Sum && done.begin < last_backward_;
    const double own = beside ? 0 : late(done, delay);
    once += own;
    delayed_[done.rank] += own;
    if (kind.purpose == JobPurpose::Parameters)
      add(stage.parameters), (done.end <= first_pass_ ? ahead_ : among_) += time;
    else if (kind.purpose == JobPurpose::Tied || joins_outer(kind, step, done, met))
      add(tied_);
    else if (kind.purpose == JobPurpose::Sum && met.size() > 1)
      add(norm_);
    else if (kind.purpose == JobPurpose::Sum)
      add(stage.sums), (done.end <= last_backward_ ? beside_ : behind_) += time;
    else
      once += time;
  }

  Seconds last_backward(const std::vector<JobOperation>& operations, std::uint32_t rank) const {
    Seconds last{-1e300};
    for (const JobOperation& done : operations)
      if (done.rank == rank && kind_of(done).work == JobWork::Backward)
        last = std::max(last, done.end);
    return last;
  }

  Seconds first_pass(const std::vector<JobOperation>& operations, std::uint32_t rank) const {
    for (const JobOperation& done : operations)  // by begin
      if (done.rank == rank && kind_of(done).work == JobWork::Forward)
        return done.begin;
    return Seconds{1e300};
  }

  /// The begin of the last sum of gradients that are of no more stages than two.
  Seconds last_sum(std::uint32_t step, std::uint32_t rank) const {
    Seconds last{-1e300};
    for (const JobOperation& done : job_.steps[step].operations) {
      const JobPurpose purpose = kind_of(done).purpose;
      if (done.rank == rank && (purpose == JobPurpose::Sum || purpose == JobPurpose::Tied) &&
          !is_of_all(job_.steps[step], done))
        last = std::max(last, done.begin);
    }
    return last;
  }

  bool is_of_all(const JobStep& step, const JobOperation& done) const {
    return done.meeting != kNoMeeting &&
           step.meetings[done.meeting].members.size() == job_.ranks.size();
  }

  std::set<std::uint32_t> stages_met(const JobStep& step, const JobOperation& done) const {
    std::set<std::uint32_t> stages{stage_of(done)};
    if (done.meeting != kNoMeeting)
      for (const std::uint32_t member : step.meetings[done.meeting].members)
        stages.insert(job_.ranks[step.operations[member].rank].stage);
    return stages;
  }

  /// Profiles tell a sum of what two stages share by its members alone.
  bool joins_outer(const JobKind& kind, const JobStep& step, const JobOperation& done,
                   const std::set<std::uint32_t>& met) const {
    return kind.purpose == JobPurpose::Sum && met.size() == 2 && *met.begin() == 0 &&
           *met.rbegin() == job_.stages - 1 && !is_of_all(step, done);
  }

  PipelineRecord means() const;

  const Job& job_;
  JobReplay replay_;
  bool ideal_;
  std::vector<double> forward_, backward_;  // by part
  std::vector<StageSum> stages_;
  TransferSum tied_, norm_;
  std::vector<double> delayed_;  // In the step by the host, by rank.
  double uneven_ = 0;            // The sum of most_uneven() over the steps.
  std::vector<Seconds> passed_;  // The end of all passes of the step, by stage.
  Seconds first_pass_{}, last_backward_{}, last_sum_{};  // Of the rank and step.
  double beside_ = 0, behind_ = 0;  // Time of sums before the last backward pass, and after.
  double ahead_ = 0, among_ = 0;    // Of gathers of parameters before the first pass, and after.
};

PipelineRecord Recorder::means() const {
  PipelineRecord record{.alternates = passes_alternate(job_)};
  constexpr double kEnds = 4;  // Of a message there and one back.
  const auto steps = static_cast<double>(job_.steps.size());
  std::vector<double> ranks(job_.stages);
  for (const JobRank& rank : job_.ranks)
    ++ranks[rank.stage];
  for (std::size_t part = 0; part < forward_.size(); ++part) {
    if (forward_[part] <= 0)
      throw InputError(
          fmt::format("{}: expected forward passes of each of {} parts of the model "
                      "(pp x vpp), found none of part {}",
                      job_.name, forward_.size(), part));
    const double passes = steps * ranks[part % job_.stages] * job_.shape.micro_batches;
    record.forward.push_back(Seconds{forward_[part] / passes});
    record.backward.push_back(Seconds{backward_[part] / passes});
  }
  for (std::uint32_t stage = 0; stage < job_.stages; ++stage) {
    const StageSum& sum = stages_[stage];
    const double all = steps * ranks[stage];
    record.stages.push_back({.update = tidy(sum.update / all),
                             .before_sums = tidy(sum.before_sums / all),
                             .once = tidy(sum.once / all),
                             .sums = sum.sums.mean(all),
                             .parameters = sum.parameters.mean(all),
                             .message = sum.message.mean(all * kEnds * job_.shape.micro_batches)});
  }
  record.tied = tied_.mean(steps * (ranks.front() + ranks.back()));
  if (norm_.count > 0)
    record.norm = Seconds{norm_.time / (steps * static_cast<double>(job_.ranks.size()))};
  constexpr double kLittle = 0.02;  // Of the step.
  if (uneven_ > kLittle * steps * mean_of(replay_.recorded()))
    record.uneven_delays = Seconds{uneven_ / steps};
  if (beside_ > 0)
    record.beside = beside_ / (beside_ + behind_);
  if (among_ > 0)
    record.gathered_among = among_ / (among_ + ahead_);
  return record;
}

}  // namespace

PipelineRecord pipeline_record_of(const Job& job, bool ideal) {
  check_recorded_passes(job);
  return Recorder(job, ideal).run();
}

}  // namespace stepcast
