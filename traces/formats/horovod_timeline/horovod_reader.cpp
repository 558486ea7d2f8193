#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/formats/reader.hpp"
#include "traces/formats/ready_gaps.hpp"
#include "traces/formats/recognition/other_profilers.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {

namespace {

/// One tensor of a Horovod timeline.
struct HorovodTensor {
  std::string name;
  std::uint64_t elements = 0;  ///< 0: the timeline has no shapes.
  std::vector<Seconds> ready;  ///< Once a step.
};

struct HorovodTimeline {
  std::vector<HorovodTensor> tensors;  ///< In order of their first appearance.
  std::map<std::string, std::pair<Seconds, std::uint64_t>> activities;  ///< Time and count by name.
};

constexpr std::string_view kNegotiation = "NEGOTIATE_";
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

/// Elements of "[64, 3, 7, 7]"; 0 if it is no shape.
std::uint64_t elements_of(std::string_view shape) {
  std::uint64_t elements = 1;
  bool any = false;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (at != end) {
    std::uint64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error == std::errc() && (extent == 0 || elements > kMostElements / extent))
      return 0;
    any = any || error == std::errc();
    elements *= error == std::errc() ? extent : 1;
    at = error == std::errc() ? next : at + 1;
  }
  return any ? elements : 0;
}

/// Matches begins and ends of each tensor.
class TimelineBuilder final : public ChromeSink {
 public:
  TimelineBuilder(HorovodTimeline& timeline, ImportReport& report)
      : timeline_(timeline), report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    if (event.phase == 'M' && event.name == "process_name")
      tensor(event.process).name = event.text("name");
    else if (event.phase == 'B')
      begin(event);
    else if (event.phase == 'E')
      end(event);
    else if (event.phase == 'X' && event.duration && *event.duration > Seconds{})
      add(event.name, *event.duration);
  }

  void finish() {
    for (const auto& [process, open] : open_)
      for (std::size_t i = 0; i < open.size(); ++i)
        report_.skip("activity without an end", fmt::format("process {}", process));
  }

 private:
  struct Open {
    std::string name;
    Seconds start{};
  };

  HorovodTensor& tensor(const std::string& process) {
    const auto [at, added] = tensors_.try_emplace(process, timeline_.tensors.size());
    if (added)
      timeline_.tensors.push_back({.name = process});
    return timeline_.tensors[at->second];
  }

  void begin(const ChromeEvent& event) {
    if (!event.start) {
      report_.skip("event without a start", fmt::format("event {}", number_));
      return;
    }
    open_[event.process].push_back({event.name, *event.start});
    if (event.name.starts_with(kNegotiation))
      tensor(event.process).ready.push_back(*event.start);
  }

  void end(const ChromeEvent& event) {
    auto& open = open_[event.process];
    if (open.empty() || !event.start || *event.start < open.back().start) {
      report_.skip("end that fits no begin", fmt::format("event {}", number_));
      return;
    }
    add(open.back().name, *event.start - open.back().start);
    open.pop_back();
    if (const std::uint64_t elements = elements_of(event.text("shape")); elements > 0)
      tensor(event.process).elements = elements;
  }

  void add(const std::string& activity, Seconds time) {
    auto& [sum, count] = timeline_.activities[activity];
    sum += time;
    ++count;
  }

  HorovodTimeline& timeline_;
  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::map<std::string, std::size_t> tensors_;     // by process
  std::map<std::string, std::vector<Open>> open_;  // by process
};

/// Throws InputError that begins with the file's origin. What does not fit together is counted.
HorovodTimeline read_horovod_timeline(const TraceStream& file, ImportReport& report) {
  HorovodTimeline timeline;
  TimelineBuilder builder(timeline, report);
  const auto source = file.open();
  const ChromeText text = read_chrome_json(*source, file.origin, builder, {.may_end_early = true});
  builder.finish();
  if (text.truncated)
    report.doubt("list of events without an end", file.origin);
  std::erase_if(timeline.tensors, [](const HorovodTensor& tensor) { return tensor.ready.empty(); });
  return timeline;
}

/// Steps in which every tensor became ready.
std::size_t complete_steps(const HorovodTimeline& timeline) {
  std::size_t steps = timeline.tensors.empty() ? 0 : timeline.tensors.front().ready.size();
  for (const HorovodTensor& tensor : timeline.tensors)
    steps = std::min(steps, tensor.ready.size());
  return steps;
}

/// Order of the last step; gaps are means over the steps of the time since the tensor before.
std::vector<ReadyGradient> mean_gaps(const HorovodTimeline& timeline, std::size_t steps) {
  std::vector<const HorovodTensor*> order;
  for (const HorovodTensor& tensor : timeline.tensors)
    order.push_back(&tensor);
  std::ranges::stable_sort(order, {}, [&](const HorovodTensor* t) { return t->ready[steps - 1]; });
  std::vector<ReadyGradient> gradients;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Seconds gap{};
    for (std::size_t step = 0; i > 0 && step < steps; ++step)
      gap += std::max(Seconds{}, order[i]->ready[step] - order[i - 1]->ready[step]);
    gradients.push_back({.name = order[i]->name,
                         .elements = order[i]->elements,
                         .gap = gap / static_cast<double>(steps)});
  }
  return gradients;
}

class HorovodReader final : public TraceReader {
 public:
  std::string name() const override { return "horovod-timeline"; }

  bool sniff(std::string_view head) const override {
    if (json_start(head) != '[' || head.find("\"ph\"") == std::string_view::npos)
      return false;
    // Lists of events with categories are other programs': Horovod gives its own none.
    return head.find("NEGOTIATE_") != std::string_view::npos ||
           (head.find("\"cat\"") == std::string_view::npos && !is_legacy_torch_trace(head));
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override {
    const TraceStream& file = only_file(files, name());
    const HorovodTimeline timeline = read_horovod_timeline(file, report);
    const std::size_t steps = complete_steps(timeline);
    if (steps == 0)
      throw InputError(file.origin + ": expected a step in which every tensor is negotiated");
    for (const HorovodTensor& tensor : timeline.tensors) {
      if (tensor.elements == 0)
        throw InputError(fmt::format("{}: {}: the timeline holds no shape of this tensor",
                                     file.origin, tensor.name));
      if (tensor.ready.size() != steps)
        report.skip("tensor that became ready beyond the last complete step", tensor.name);
    }
    return workload_of_gaps(mean_gaps(timeline, steps),
                            {.origin = file.origin,
                             .model = "model",
                             .device = "horovod",
                             .source = fmt::format("Horovod timeline {}", file.origin),
                             .method = fmt::format("backward time of a module: the gaps before its "
                                                   "gradients became ready, mean of {} steps",
                                                   steps)},
                            options, report);
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                       ImportReport& report) const override {
    const TraceStream& file = only_file(files, name());
    const HorovodTimeline timeline = read_horovod_timeline(file, report);
    if (timeline.tensors.empty())
      throw InputError(file.origin +
                       ": expected tensors with NEGOTIATE_ events, as Horovod's timeline has, or "
                       "events with the categories of PyTorch's profiler (cpu_op, kernel), found "
                       "neither");
    TraceSummary summary{.format = name()};
    std::uint64_t elements = 0;
    for (const HorovodTensor& tensor : timeline.tensors)
      elements += tensor.elements;
    summary.facts = {{"tensors", fmt::format("{}", timeline.tensors.size())},
                     {"elements", fmt::format("{}", elements)},
                     {"complete steps", fmt::format("{}", complete_steps(timeline))}};
    for (const auto& [activity, spent] : timeline.activities)
      summary.categories.push_back({activity, spent.first, spent.second});
    return summary;
  }
};

}  // namespace

const TraceReader& horovod_timeline_reader() {
  static const HorovodReader reader;
  return reader;
}

}  // namespace stepcast
