#include "traces/job/rank_timeline.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/at_once.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "traces/formats/kineto/ascend_work.hpp"
#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/kineto/ranks/rank_steps.hpp"
#include "traces/formats/kineto/recorded/recorded_steps.hpp"
#include "traces/formats/kineto/recorded/step_recorder.hpp"

namespace stepcast {

namespace {

constexpr Seconds kTolerance{2e-6};  // As of the recorder.

/// Where a piece of work runs and begins: tells it.
using WorkPlace = std::pair<std::string, Seconds>;

JobWork work_of(WorkPhase phase) {
  switch (phase) {
    case WorkPhase::Forward:
      return JobWork::Forward;
    case WorkPhase::Backward:
      return JobWork::Backward;
    case WorkPhase::Communication:
      return JobWork::Transfer;
    case WorkPhase::Optimizer:
    case WorkPhase::InputCopy:
    case WorkPhase::OutputCopy:
      return JobWork::Compute;
  }
  return JobWork::Compute;
}

TimelineWork piece_of(const KinetoTrace& trace, const DeviceWork& work) {
  const KinetoEvent& event = trace.events[work.event];
  TimelineWork piece{.work = work_of(work.phase), .begin = event.start, .end = event.end()};
  piece.part = name_of(work.phase);
  piece.name = fmt::format("{}: {}", piece.part, trace.name_of(event));
  piece.copies = event.kind != KinetoKind::Kernel;
  piece.updates = work.phase == WorkPhase::Optimizer;
  if (work.phase == WorkPhase::Communication) {
    const KnownCollective known = collective_of(trace, work);
    make_transfer(known.kind, piece);
    std::string name = piece.part;
    if (known.size > Bytes{})
      name += " " + format_bytes(known.size);
    if (known.ranks > 0)
      name += fmt::format(" of {}", known.ranks);
    piece.name = std::move(name);
    piece.size = known.size;
    piece.ranks = known.ranks;
    piece.id = work.event;
  }
  return piece;
}

/// Reduces a recorded step to its device's work. What the host did in between stays as edges: from
/// work that it waited for to work that it launched then.
class DeviceReducer {
 public:
  DeviceReducer(const RecordedStep& recorded, const std::map<WorkPlace, TimelineWork>& pieces)
      : recorded_(recorded), before_(recorded.tasks.size()), carried_(recorded.tasks.size()) {
    for (const auto& [first, second] : recorded.edges)
      before_[second].push_back(first);
    step_ = {.name = recorded.name, .begin = recorded.begin, .whole = recorded.whole};
    for (const auto& task : recorded.tasks)
      add(task, pieces);
  }

  TimelineStep run() {
    for (std::uint32_t task = 0; task < recorded_.tasks.size(); ++task)
      is_device(task) ? link(task) : carry(task);
    return std::move(step_);
  }

 private:
  bool is_device(std::uint32_t task) const { return is_of_device(recorded_.tasks[task].kind); }

  void add(const RecordedTask& task, const std::map<WorkPlace, TimelineWork>& pieces) {
    place_.push_back(static_cast<std::uint32_t>(step_.works.size()));
    if (!is_of_device(task.kind))
      return;
    const auto found = pieces.find({recorded_.streams[task.stream], task.start});
    TimelineWork piece =
        found != pieces.end()
            ? found->second
            : TimelineWork{.name = "copies: " + task.label, .part = "copies", .copies = true};
    if (const auto lost = lost_on_.extract(task.stream))
      name_lost_work(step_.works[lost.mapped()], piece);
    if (task.label == kLostWork)
      lost_on_[task.stream] = place_.back();
    piece.begin = task.start;
    piece.end = task.start + task.duration;
    piece.stream = static_cast<std::uint8_t>(1 + std::min<unsigned>(task.stream, 250));
    step_.works.push_back(std::move(piece));
  }

  /// It is taken for work of the part that its stream goes on with.
  static void name_lost_work(TimelineWork& lost, const TimelineWork& next) {
    lost.work = next.work;
    lost.part = next.part;
    lost.name = fmt::format("{}: {}", next.part, kLostWork);
    lost.copies = next.copies;
    lost.updates = next.updates;
  }

  /// Device work that a task of the host comes after, the last of each stream.
  void carry(std::uint32_t task) {
    Carried& own = carried_[task];
    if (const auto last = last_host_.find(recorded_.tasks[task].stream); last != last_host_.end())
      own = carried_[last->second];
    for (const std::uint32_t before : before_[task])
      if (is_device(before))
        own[recorded_.tasks[before].stream] = before;
      else
        for (const auto& [stream, work] : carried_[before])
          own[stream] = std::max(own[stream], work);
    last_host_[recorded_.tasks[task].stream] = task;
  }

  void link(std::uint32_t task) {
    Carried waited;
    for (const std::uint32_t before : before_[task])
      if (is_device(before))
        edge(before, task);
      else
        for (const auto& [stream, work] : carried_[before])
          waited[stream] = std::max(waited[stream], work);
    for (const auto& [stream, work] : waited)
      edge(work, task);
    const std::uint16_t stream = recorded_.tasks[task].stream;
    if (const auto last = last_on_.find(stream); last != last_on_.end())
      edge(last->second, task);
    last_on_[stream] = task;
  }

  void edge(std::uint32_t before, std::uint32_t after) {
    const RecordedTask& first = recorded_.tasks[before];
    if (first.start + first.duration <= recorded_.tasks[after].start + kTolerance &&
        place_[before] < place_[after])
      step_.edges.emplace_back(place_[before], place_[after]);
  }

  using Carried = std::map<std::uint16_t, std::uint32_t>;

  const RecordedStep& recorded_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<Carried> carried_;
  std::map<std::uint16_t, std::uint32_t> lost_on_;  // By stream: lost work without a name yet.
  std::vector<std::uint32_t> place_;                // Of each task among the works.
  std::map<std::uint16_t, std::uint32_t> last_host_;
  std::map<std::uint16_t, std::uint32_t> last_on_;
  TimelineStep step_;
};

/// What computes behind the last backward pass of a step is no pass: it updates the weights, also
/// where no annotation says so.
void name_updates(TimelineStep& step) {
  Seconds passed{-1};
  for (const TimelineWork& work : step.works)
    if (work.work == JobWork::Backward)
      passed = std::max(passed, work.end);
  const std::string forward = name_of(WorkPhase::Forward);
  for (TimelineWork& work : step.works)
    if (work.work == JobWork::Forward && passed >= Seconds{} && work.begin >= passed) {
      work.work = JobWork::Compute;
      work.updates = true;
      work.part = name_of(WorkPhase::Optimizer);
      work.name = work.part + work.name.text().substr(forward.size());
    }
}

/// Clips the works to the ends of the step, as within_its_ends() does with recorded tasks.
void keep_within(TimelineStep& step, const StepEnds& ends) {
  step.begin = ends.begin;
  for (TimelineWork& work : step.works) {
    work.begin = std::clamp(work.begin, ends.begin, ends.end);
    work.end = std::clamp(work.end, ends.begin, ends.end);
  }
}

/// Of a message between two ranks; none where its kernel alone is recorded.
std::optional<std::uint32_t> sender_of(const KinetoTrace& trace, const DeviceWork& work,
                                       std::optional<std::uint32_t> own) {
  if (work.collective == kNoEvent || !own)
    return std::nullopt;
  const KinetoCollective& noted = trace.collectives[work.collective];
  if (sends(noted.name))
    return own;
  if (!receives(noted.name))
    return std::nullopt;
  return noted.group.front() == *own ? noted.group.back() : noted.group.front();
}

/// Messages between two ranks end together on both, as collectives do: the kernel of either side
/// runs until the data is there.
void add_messages(const KinetoTrace& trace, const KinetoView& view, RankRecord& record) {
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep)
      continue;
    const KnownCollective known = collective_of(trace, work);
    if (known.kind != CollectiveKind::Send || known.group.size() != 2)
      continue;
    const KinetoEvent& event = trace.events[work.event];
    record.collectives.push_back({.kind = *known.kind,
                                  .size = known.size,
                                  .group = known.group,
                                  .sender = sender_of(trace, work, record.rank),
                                  .sequence = known.sequence,
                                  .step = common_number(view.steps, work.step),
                                  .begin = event.start,
                                  .end = event.end(),
                                  .id = work.event});
  }
  std::ranges::stable_sort(record.collectives, {}, &RankCollective::begin);
}

JobPurpose purpose_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::Send:
      return JobPurpose::Message;
    case CollectiveKind::AllGather:
      return JobPurpose::Parameters;
    case CollectiveKind::AllReduce:
    case CollectiveKind::ReduceScatter:
      return JobPurpose::Sum;
    default:
      return JobPurpose::Other;
  }
}

}  // namespace

void make_transfer(std::optional<CollectiveKind> kind, TimelineWork& work) {
  work.work = JobWork::Transfer;
  work.part = kind ? name_of(*kind) : "other communication";
  work.purpose = kind ? purpose_of(*kind) : JobPurpose::Other;
  work.scatters = kind == CollectiveKind::ReduceScatter;
  work.updates = false;
}

RankTimeline read_rank_timeline(const TraceStream& file, ImportReport& report) {
  const auto source = file.open();
  const KinetoTrace trace = read_kineto_trace(*source, file.origin, report);
  require_arrows(trace, file.origin);
  const KinetoView view = interpret(trace, report);
  RankTimeline timeline{.record = rank_record_of(trace, view, file.origin)};
  add_messages(trace, view, timeline.record);
  timeline.device = {.allocated = trace.most_allocated, .reserved = trace.most_reserved};
  if (const auto queue = launch_queue(trace, view)) {
    timeline.device.queued = queue->length;
    timeline.device.queue_empty = queue->empty;
  }
  std::map<WorkPlace, TimelineWork> pieces;
  for (const DeviceWork& work : view.work)
    if (work.step != kNoStep) {
      const KinetoEvent& event = trace.events[work.event];
      pieces.emplace(WorkPlace(device_stream_name(event.stream), event.start),
                     piece_of(trace, work));
    }
  for (const RecordedStep& step : recorded_steps(trace, view, report)) {
    TimelineStep& made = timeline.steps.emplace_back(DeviceReducer(step, pieces).run());
    name_updates(made);
    keep_within(made, ends_of(step));
  }
  if (timeline.steps.empty())
    throw InputError(file.origin + ": expected work on a device in a step, found none");
  return timeline;
}

std::vector<RankTimeline> read_at_once(std::size_t count, const TimelinesReader& read,
                                       ImportReport& report) {
  std::vector<std::vector<RankTimeline>> of_files(count);
  std::vector<ImportReport> reports(count);
  for_each_at_once(count, [&](std::size_t file) { of_files[file] = read(file, reports[file]); });
  std::vector<RankTimeline> timelines;
  for (std::size_t file = 0; file < count; ++file) {
    std::ranges::move(of_files[file], std::back_inserter(timelines));
    report.add(reports[file]);
  }
  return timelines;
}

std::vector<RankTimeline> read_timelines(const std::vector<TraceStream>& files,
                                         const TimelineReader& read, ImportReport& report) {
  const auto read_one = [&](std::size_t file, ImportReport& own) {
    std::vector<RankTimeline> timelines;
    timelines.push_back(read(files[file], own));
    return timelines;
  };
  return read_at_once(files.size(), read_one, report);
}

}  // namespace stepcast
