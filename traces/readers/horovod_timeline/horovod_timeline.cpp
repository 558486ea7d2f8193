#include "traces/readers/horovod_timeline/horovod_timeline.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "traces/readers/chrome_json/chrome_events.hpp"

namespace stepcast {
namespace {

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
  void property(const std::string&, const ChromeArgument&) override {}

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

}  // namespace

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

}  // namespace stepcast
