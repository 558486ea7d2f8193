#include "traces/job/streams/stream_timeline.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"

// Work in order of its begin; what has begun waits in a queue by its end, so that the last
// computation and the last transfer that have ended are known at every begin: n log n.
namespace stepcast {

namespace {

constexpr Seconds kRounding{2e-6};  // Some profilers write whole microseconds.
constexpr std::uint32_t kNobody = ~0U;

void sort_by_begin(std::vector<StreamWork>& works) {
  std::ranges::stable_sort(works, {}, [](const StreamWork& of) { return of.work.begin; });
}

class DependencyFinder {
 public:
  DependencyFinder(TimelineStep& step, ImportReport& report) : step_(step), report_(report) {}

  void run() {
    for (std::uint32_t i = 0; i < step_.works.size(); ++i) {
      end_all_before(step_.works[i].begin);
      link(i);
      running_.emplace(step_.works[i].end.value, i);
    }
  }

 private:
  using Running = std::pair<double, std::uint32_t>;

  bool is_transfer(std::uint32_t work) const { return step_.works[work].work == JobWork::Transfer; }

  void end_all_before(Seconds time) {
    while (!running_.empty() && running_.top().first <= (time + kRounding).value) {
      (is_transfer(running_.top().second) ? transfer_ : computed_) = running_.top().second;
      running_.pop();
    }
  }

  void link(std::uint32_t work) {
    const TimelineWork& own = step_.works[work];
    const auto [last, is_first] = last_on_.try_emplace(own.stream, work);
    const std::uint32_t before = is_first ? kNobody : std::exchange(last->second, work);
    Seconds idle_from = step_.begin;
    if (before != kNobody) {
      idle_from = step_.works[before].end;
      if (idle_from <= own.begin + kRounding)
        step_.edges.emplace_back(before, work);
      else
        report_.doubt("device work that overlaps other work of its stream",
                      fmt::format("{}: {}", step_.name, own.name.text()));
    }
    const std::uint32_t other = is_transfer(work) ? computed_ : transfer_;
    const bool waited = other != kNobody && other != before &&
                        (is_transfer(work) || step_.works[other].end > idle_from);
    if (waited)
      step_.edges.emplace_back(other, work);
  }

  TimelineStep& step_;
  ImportReport& report_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::map<std::uint8_t, std::uint32_t> last_on_;
  std::uint32_t computed_ = kNobody;  // What ended last.
  std::uint32_t transfer_ = kNobody;
};

/// The steps in order of their first work, with all work.
void divide(std::vector<StreamWork> works, RankTimeline& timeline, ImportReport& report) {
  constexpr std::size_t kMostStreams = 250;
  std::map<std::string, std::size_t> places;
  std::map<std::string, std::uint8_t> streams;
  std::uint32_t id = 0;
  for (StreamWork& of : works) {
    if (of.step.empty()) {
      report.skip("device work outside of the steps", of.work.name);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(of.step.text(), timeline.steps.size());
    if (is_new)
      timeline.steps.push_back({.name = of.step});
    const auto next = static_cast<std::uint8_t>(1 + std::min(streams.size(), kMostStreams));
    of.work.stream = streams.try_emplace(of.stream, next).first->second;
    of.work.id = ++id;
    if (of.kind && ends_together(*of.kind))
      timeline.record.collectives.push_back(
          {.kind = *of.kind,
           .size = of.work.size,
           .group = {},
           .sequence = std::nullopt,
           .step =
               static_cast<std::uint32_t>(number_at_end(of.step.text()).value_or(place->second)),
           .begin = of.work.begin,
           .end = of.work.end,
           .id = of.work.id});
    timeline.steps[place->second].works.push_back(std::move(of.work));
  }
}

}  // namespace

void name_steps_by_passes(std::vector<StreamWork>& works) {
  sort_by_begin(works);
  std::uint32_t step = 0;
  SharedText name = "step 0";
  bool passed = false;
  for (StreamWork& of : works) {
    if (passed && of.work.work == JobWork::Forward) {
      name = fmt::format("step {}", ++step);
      passed = false;
    }
    passed = passed || of.work.updates || of.work.work == JobWork::Backward;
    of.step = name;
  }
}

RankTimeline timeline_of(RankRecord record, std::vector<StreamWork> works, ImportReport& report) {
  sort_by_begin(works);
  RankTimeline timeline{.record = std::move(record), .steps = {}};
  divide(std::move(works), timeline, report);
  if (timeline.steps.empty())
    throw InputError(timeline.record.origin + ": expected work on a device in a step, found none");
  bool is_first = true;
  Seconds ended{};
  for (TimelineStep& step : timeline.steps) {
    step.begin = is_first ? step.works.front().begin : ended;
    step.whole = !is_first;
    for (TimelineWork& work : step.works) {
      work.begin = std::max(work.begin, step.begin);
      work.end = std::max(work.end, work.begin);
      ended = std::max(ended, work.end);
    }
    DependencyFinder(step, report).run();
    is_first = false;
  }
  timeline.record.steps = timeline.steps.size();
  return timeline;
}

namespace {

bool is_transfer(const std::string& name) {
  return holds_any(name, {"nccl", "rccl", "byteps", "push_pull", "kvstorepush", "kvstorepull",
                          "collectivereduce", "collectivegather", "collectivebcast", "allreduce",
                          "all_reduce", "all-reduce"});
}

}  // namespace

std::optional<CollectiveKind> collective_by_name(std::string_view name) {
  const std::string small = lower_case(name);
  if (holds_any(small, {"collectivereduce", "push_pull", "pushpull", "kvstore"}))
    return CollectiveKind::AllReduce;
  if (small.find("collectivegather") != std::string::npos)
    return CollectiveKind::AllGather;
  return collective_kind_of(name);
}

StreamWork work_by_name(const std::string& name) {
  const std::string small = lower_case(name);
  StreamWork of;
  of.work.name = name;
  if (is_transfer(small)) {
    of.kind = collective_by_name(name);
    make_transfer(of.kind, of.work);
  } else if (holds_any(small, {"memcpy", "memset", "copy2d"})) {
    of.work.work = JobWork::Compute;
    of.work.copies = true;
    of.work.part = "copies";
  } else if (holds_any(small,
                       {"resourceapply", "applygradient", "applyadam", "applymomentum", "_update",
                        "optimizer", "fusedadam", "fused_adam", "fusedsgd", "fused_sgd",
                        "fusedlamb", "multi_tensor_apply", "multitensorapply"})) {
    of.work.work = JobWork::Compute;
    of.work.updates = true;
    of.work.part = "optimizer";
  } else if (holds_any(small,
                       {"gradient", "backprop", "backward", "grad/", "bwd", "dgrad", "wgrad"})) {
    of.work.work = JobWork::Backward;
    of.work.part = "backward";
  } else {
    of.work.work = JobWork::Forward;
    of.work.part = "forward";
  }
  if (of.work.work != JobWork::Transfer)
    of.work.name = fmt::format("{}: {}", of.work.part, name);
  return of;
}

}  // namespace stepcast
