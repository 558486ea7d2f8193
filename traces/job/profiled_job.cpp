#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/base/text.hpp"
#include "traces/formats/rank_record.hpp"
#include "traces/formats/ranks/meetings.hpp"
#include "traces/job/foreign_ranks.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/rank_timeline.hpp"

namespace stepcast {
namespace {

constexpr double kMicrosecond = 1e-6;

class ProfiledJob {
 public:
  ProfiledJob(std::vector<RankTimeline> timelines, const JobShape& shape, ImportReport& report)
      : timelines_(std::move(timelines)), shape_(shape), report_(report) {
    std::ranges::stable_sort(timelines_, {}, [](const RankTimeline& timeline) {
      return timeline.record.rank.value_or(0);
    });
    for (const RankTimeline& timeline : timelines_) {
      records_.push_back(timeline.record);
      StepsByName& steps = steps_.emplace_back();
      for (const TimelineStep& step : timeline.steps)
        steps.emplace(step.name, &step);
    }
  }

  Job run();

 private:
  using StepsByName = std::map<std::string_view, const TimelineStep*>;

  void refuse_other_jobs() const;
  void add_ranks();
  Seconds time_between_recordings() const;
  std::vector<std::string> common_steps() const;
  void add_step(const std::string& name);
  void add_work(std::uint32_t rank, const TimelineStep& step);
  /// The name must live as long as this object.
  std::uint16_t kind_of(const TimelineWork& work);
  void meet();
  void join(const RankMeeting& met);
  Seconds later(std::uint32_t rank) const {
    return Seconds{kMicrosecond *
                   static_cast<double>(records_[rank].first_time_us - records_[0].first_time_us)};
  }

  std::vector<RankTimeline> timelines_;
  std::vector<StepsByName> steps_;  // By rank.
  const JobShape& shape_;
  ImportReport& report_;
  std::vector<RankRecord> records_;
  Job job_;
  std::map<std::string, std::uint16_t, std::less<>> kinds_;
  const SharedText host_ = "host";
  const void* last_name_ = nullptr;  // SharedText::identity() of the last work, and its kind
  std::uint16_t last_kind_ = 0;
  /// By rank and id: step and operation.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>
      transfers_;
};

Job ProfiledJob::run() {
  refuse_other_jobs();
  add_ranks();
  for (const std::string& name : common_steps())
    add_step(name);
  if (job_.steps.empty())
    throw InputError(records_.front().origin +
                     ": expected a step that all ranks recorded whole, found none");
  refuse_foreign_ranks(job_);
  job_.timed = std::ranges::all_of(timelines_, &RankTimeline::timed);
  job_.apart = time_between_recordings();
  if (job_.ranks.size() > 1)
    meet();
  return std::move(job_);
}

/// Which steps each recorded is no matter: they are told by name.
void ProfiledJob::refuse_other_jobs() const {
  std::vector<RankRecord> records = records_;
  for (RankRecord& record : records)
    record.steps = 0;
  if (const std::string why = why_not_one_job(records); !why.empty())
    throw InputError(why);
}

/// From where the first of them ended to where the last one began; 0: they overlap, or their clocks
/// count from the start of a host.
Seconds ProfiledJob::time_between_recordings() const {
  constexpr std::int64_t k2001 = 1'000'000'000'000'000;  // In microseconds since 1970.
  Seconds end{std::numeric_limits<double>::infinity()};
  Seconds begin{-std::numeric_limits<double>::infinity()};
  for (std::uint32_t rank = 0; rank < records_.size(); ++rank) {
    const std::vector<TimelineStep>& steps = timelines_[rank].steps;
    if (records_[rank].first_time_us < k2001 || steps.empty())
      return {};
    begin = std::max(begin, later(rank) + steps.front().begin);
    Seconds own = steps.front().begin;
    for (const TimelineStep& step : steps)
      for (const TimelineWork& work : step.works)
        own = std::max(own, work.end);
    end = std::min(end, later(rank) + own);
  }
  return std::max(Seconds{}, begin - end);
}

void ProfiledJob::add_ranks() {
  const auto count = static_cast<std::uint32_t>(records_.size());
  const auto hosts = static_cast<std::uint32_t>(shape_.hosts.size());
  job_.gpus =
      records_.front().ranks.value_or(shape_.gpus > 0 ? shape_.gpus : std::max(hosts, count));
  check_job_shape(shape_, job_.gpus, records_.front().origin);
  job_.stages = std::min(std::max(1U, shape_.pipeline), job_.gpus);
  job_.shape = shape_;
  job_.profiled = true;
  job_.name =
      !shape_.name.empty()
          ? shape_.name
          : std::filesystem::path(records_.front().origin).parent_path().filename().string();
  if (job_.name.empty() || (shape_.name.empty() && count == 1))
    job_.name = std::filesystem::path(records_.front().origin).filename();
  const std::uint32_t inner = std::max(1U, shape_.tensor) * std::max(1U, shape_.context);
  const std::uint32_t stage_size = std::max(1U, job_.gpus / job_.stages);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = records_[i].rank.value_or(i);
    if (number >= job_.gpus)
      throw InputError(fmt::format("{}: expected a rank below the number of ranks, {}, found {}",
                                   records_[i].origin, job_.gpus, number));
    JobRank rank{.number = number,
                 .data = number % stage_size / inner,
                 .stage = std::min(number / stage_size, job_.stages - 1),
                 .origin = records_[i].origin,
                 .device = timelines_[i].device};
    rank.host = host_of(shape_, number);
    job_.ranks.push_back(rank);
  }
  if (count < job_.gpus)
    report_.doubt(fmt::format("job of {} ranks of which {} traces are given", job_.gpus, count),
                  records_.front().origin);
}

/// Of steps with a mark of their beginning; if no rank has such a step, all.
std::vector<std::string> ProfiledJob::common_steps() const {
  std::map<std::string_view, std::size_t> seen;
  const bool any_whole = std::ranges::any_of(timelines_.front().steps,
                                             [](const TimelineStep& step) { return step.whole; });
  for (const RankTimeline& timeline : timelines_)
    for (const TimelineStep& step : timeline.steps)
      if (step.whole || !any_whole)
        ++seen[step.name];
  std::vector<std::string> common;
  for (const TimelineStep& step : timelines_.front().steps) {
    if (seen[step.name] == timelines_.size())
      common.push_back(step.name);
    else
      report_.skip("step that not all ranks recorded whole", step.name);
  }
  return common;
}

void ProfiledJob::add_step(const std::string& name) {
  const std::uint64_t least = job_.steps.empty() ? 0 : job_.steps.back().number + 1;
  job_.steps.push_back({.name = name, .number = std::max(least, number_at_end(name).value_or(0))});
  for (std::uint32_t rank = 0; rank < timelines_.size(); ++rank)
    add_work(rank, *steps_[rank].at(name));
}

/// The work of one rank behind a mark of no length, where the step before ended.
void ProfiledJob::add_work(std::uint32_t rank, const TimelineStep& step) {
  JobStep& into = job_.steps.back();
  const auto first = checked_id(into.operations.size(), "operations");
  const Seconds begin = step.begin + later(rank);
  into.operations.push_back(
      {.rank = rank,
       .kind =
           kind_of({.work = JobWork::Host, .name = host_, .part = host_, .begin = {}, .end = {}}),
       .begin = begin,
       .end = begin});
  std::vector<bool> waits(step.works.size());
  for (const auto& [before, after] : step.edges)
    waits[after] = true;
  std::map<std::uint16_t, std::uint32_t> counts;
  for (std::uint32_t i = 0; i < step.works.size(); ++i) {
    const TimelineWork& work = step.works[i];
    const std::uint16_t kind = kind_of(work);
    if (work.work == JobWork::Transfer)
      transfers_[{rank, work.id}] = {static_cast<std::uint32_t>(job_.steps.size() - 1),
                                     first + 1 + i};
    into.operations.push_back({.rank = rank,
                               .kind = kind,
                               .micro_batch = 0,
                               .sequence = counts[kind]++,
                               .stream = work.stream,
                               .begin = work.begin + later(rank),
                               .end = work.end + later(rank)});
    if (!waits[i])
      into.edges.emplace_back(first, first + 1 + i);
  }
  for (const auto& [before, after] : step.edges)
    into.edges.emplace_back(first + 1 + before, first + 1 + after);
}

std::uint16_t ProfiledJob::kind_of(const TimelineWork& work) {
  constexpr std::size_t kMost = 60'000;
  // Works of one name mostly share it, which is cheaper to see than that long names are the same.
  if (work.name.identity() != nullptr && work.name.identity() == last_name_)
    return last_kind_;
  auto found = kinds_.find(work.name.text());
  if (found == kinds_.end()) {
    if (job_.kinds.size() >= kMost)
      throw InputError(records_.front().origin + ": too many kinds of work");
    found = kinds_.emplace(work.name, static_cast<std::uint16_t>(job_.kinds.size())).first;
    job_.kinds.push_back({.name = work.name,
                          .work = work.work,
                          .part = work.part,
                          .size = work.size,
                          .ranks = work.ranks,
                          .purpose = work.purpose,
                          .copies = work.copies,
                          .updates = work.updates,
                          .scatters = work.scatters});
  }
  last_name_ = work.name.identity();
  last_kind_ = found->second;
  return found->second;
}

/// Joins the members of a meeting, which may lie in several steps. What goes on behind its step
/// ended there for the job, and not with the others.
void ProfiledJob::join(const RankMeeting& met) {
  constexpr Seconds kRounding{2e-9};
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_step;
  for (std::size_t i = 0; i < met.ranks.size(); ++i) {
    const auto found = transfers_.find({static_cast<std::uint32_t>(met.ranks[i]), met.ids[i]});
    if (found == transfers_.end())
      continue;
    const auto [step, operation] = found->second;
    const Seconds off = job_.steps[step].operations[operation].end - (met.ends[i] + met.offsets[i]);
    if (std::abs(off.value) <= kRounding.value)
      by_step[step].push_back(operation);
  }
  for (auto& [number, members] : by_step) {
    if (members.size() < 2)
      continue;
    JobStep& step = job_.steps[number];
    for (const std::uint32_t member : members) {
      step.operations[member].meeting = static_cast<std::uint32_t>(step.meetings.size());
      step.operations[member].alone = false;
    }
    step.meetings.push_back({.members = std::move(members)});
  }
}

void ProfiledJob::meet() {
  const Meetings meetings = find_meetings(records_);
  if (!meetings.why_not.empty())
    throw InputError(
        fmt::format("{}: no ranks of one job: {}", records_.front().origin, meetings.why_not));
  for (const auto& [id, place] : transfers_)
    job_.steps[place.first].operations[place.second].alone = true;  // Until they are joined.
  for (const std::vector<RankMeeting>* all : {&meetings.all, &meetings.partial})
    for (const RankMeeting& met : *all)
      join(met);
  for (std::size_t i = 0; i < meetings.unmatched; ++i)
    report_.doubt("collective that not every rank recorded", records_.front().origin);
  const auto sends = [](const JobKind& kind) { return kind.purpose == JobPurpose::Message; };
  const auto may_send = [&](const JobKind& kind) {
    return sends(kind) || (kind.work == JobWork::Transfer && kind.purpose == JobPurpose::Other);
  };
  const auto of_other_stage = [&](const JobRank& rank) {
    return rank.stage != job_.ranks.front().stage;
  };
  if (std::ranges::any_of(job_.ranks, of_other_stage) && std::ranges::none_of(job_.kinds, may_send))
    throw InputError(fmt::format(
        "{}: expected messages between the {} stages that the job file tells, found none",
        records_.front().origin, job_.stages));
  if (shape_.pipeline == 0 && std::ranges::any_of(job_.kinds, sends))
    report_.doubt("job with messages between ranks, taken as one stage: pp in a job file says more",
                  records_.front().origin);
}

}  // namespace

Job job_of_timelines(std::vector<RankTimeline> timelines, const JobShape& shape,
                     ImportReport& report) {
  return ProfiledJob(std::move(timelines), shape, report).run();
}

Job read_profiled_job(const std::vector<TraceStream>& files, const JobShape& shape,
                      ImportReport& report) {
  return job_of_timelines(read_timelines(files, read_rank_timeline, report), shape, report);
}

}  // namespace stepcast
