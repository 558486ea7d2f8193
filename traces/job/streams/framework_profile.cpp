#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/streams/stream_timeline.hpp"

namespace stepcast {
namespace {

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Collects all that has a begin and an end; names of processes and threads may come later.
class ProfileSink final : public ChromeSink {
 public:
  explicit ProfileSink(ImportReport& report) : report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    if (event.phase == 'M') {
      if (event.name == "process_name")
        processes_[event.process] = event.text("name");
      else if (event.name == "thread_name")
        threads_[{event.process, event.thread}] = event.text("name");
      return;
    }
    if (!event.start)
      return;
    if (event.phase == 'X')
      add(event, *event.start, event.duration.value_or(Seconds{-1}));
    else if (event.phase == 'B')
      open_[{event.process, event.thread}].emplace_back(event.name, *event.start);
    else if (event.phase == 'E')
      end(event);
  }

  std::vector<StreamWork> works();

 private:
  struct Span {
    std::string name;
    std::string process;
    std::string thread;
    Seconds begin{};
    Seconds end{};
  };
  using Place = std::pair<std::string, std::string>;  // Process and thread, as numbers.

  void add(const ChromeEvent& event, Seconds begin, Seconds duration) {
    if (duration < Seconds{}) {
      report_.skip("event without a duration", fmt::format("event {}", number_));
      return;
    }
    // TensorFlow notes the operation that a kernel is of.
    std::string name(event.text("tf_op"));
    const std::string_view operation = event.text("op");
    if (name.empty() && !operation.empty())
      name = fmt::format("{} {}", event.text("name"), operation);
    spans_.push_back({.name = name.empty() ? event.name : name + " " + event.name,
                      .process = event.process,
                      .thread = event.thread,
                      .begin = begin,
                      .end = begin + duration});
  }

  /// Ends the last begun of its name; of no name the last.
  void end(const ChromeEvent& event) {
    auto& open = open_[{event.process, event.thread}];
    const auto found = std::find_if(open.rbegin(), open.rend(), [&](const auto& begun) {
      return event.name.empty() || begun.first == event.name;
    });
    if (found == open.rend()) {
      report_.skip("end that fits no begin", fmt::format("event {}", number_));
      return;
    }
    spans_.push_back({.name = found->first,
                      .process = event.process,
                      .thread = event.thread,
                      .begin = found->second,
                      .end = std::max(found->second, *event.start)});
    open.erase(std::next(found).base());
  }

  std::string name_of_process(const Span& span) const {
    const auto found = processes_.find(span.process);
    return found == processes_.end() ? std::string() : found->second;
  }
  std::string name_of_thread(const Span& span) const {
    const auto found = threads_.find({span.process, span.thread});
    return found == threads_.end() ? std::string() : found->second;
  }
  std::string stream_of(const Span& span, const char* device) const;
  const Span* step_at(const std::vector<const Span*>& steps, Seconds time) const;

  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::vector<Span> spans_;
  std::map<std::string, std::string> processes_;
  std::map<Place, std::string> threads_;
  std::map<Place, std::vector<std::pair<std::string, Seconds>>> open_;
};

/// The stream of a device that it ran on; empty: on none. TensorFlow's streams are threads of the
/// device's process, or processes of their own; MXNet's device is one process.
std::string ProfileSink::stream_of(const Span& span, const char* device) const {
  const std::string process = name_of_process(span);
  const std::string thread = name_of_thread(span);
  if (!holds(process, device) || holds(process, "stream:all") || holds(process, "Tensors"))
    return {};
  const bool by_thread = holds(process, "/device:") && !holds(process, "/stream:") &&
                         !holds(process, "memcpy") && !thread.empty();
  if (by_thread)
    return thread.starts_with("Stream") || holds(process, "CPU") ? process + " " + thread
                                                                 : std::string();
  return process;
}

/// The steps are in order and do not overlap.
const ProfileSink::Span* ProfileSink::step_at(const std::vector<const Span*>& steps,
                                              Seconds time) const {
  const auto after =
      std::ranges::upper_bound(steps, time, {}, [](const Span* step) { return step->begin; });
  return after == steps.begin() || time > (*std::prev(after))->end ? nullptr : *std::prev(after);
}

std::vector<StreamWork> ProfileSink::works() {
  std::vector<const Span*> steps;
  for (const Span& span : spans_)
    if (name_of_thread(span) == "Steps")
      steps.push_back(&span);
  std::ranges::stable_sort(steps, {}, [](const Span* step) { return step->begin; });
  std::vector<StreamWork> works;
  for (const auto& [gpu, processor] : {std::pair("GPU:", "gpu/"), {"CPU:", "cpu/"}}) {
    for (const Span& span : spans_) {
      std::string stream = stream_of(span, gpu);
      if (stream.empty())
        stream = stream_of(span, processor);
      if (stream.empty())
        continue;
      StreamWork of = work_by_name(span.name);
      of.stream = std::move(stream);
      of.work.begin = span.begin;
      of.work.end = span.end;
      if (const Span* step = step_at(steps, span.begin))
        of.step = "step " + step->name;
      works.push_back(std::move(of));
    }
    if (!works.empty())
      break;
  }
  if (steps.empty())
    name_steps_by_passes(works);
  return works;
}

}  // namespace

bool is_framework_profile(std::string_view head) {
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  const bool tensorflow = has("/device:GPU:") || has("/device:CPU:") || has("/host:CPU");
  const bool mxnet = has("\"gpu/0\"") || has("\"cpu/0\"");
  return has("process_name") && (tensorflow || mxnet) && !has("\"schemaVersion\"") &&
         !has("\"deviceProperties\"");
}

RankTimeline read_framework_profile(const TraceStream& file, ImportReport& report) {
  ProfileSink sink(report);
  const auto source = file.open();
  const ChromeText text = read_chrome_json(*source, file.origin, sink, {.may_end_early = true});
  if (text.truncated)
    report.doubt("list of events without an end", file.origin);
  RankRecord record;
  record.origin = file.origin;
  record.first_time_us = text.first_time_us;
  return timeline_of(std::move(record), sink.works(), report);
}

}  // namespace stepcast
