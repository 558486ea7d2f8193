#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/spans/spans.hpp"

namespace stepcast {
namespace {

/// In the order in which a partition passes them; copies and the like are of one rank only.
struct PassedStage {
  const char* name;
  bool meets;
  bool copies = false;
};
constexpr std::array<PassedStage, 10> kStages = {{{"COORDINATE_REDUCE", false},
                                                  {"REDUCE", true},
                                                  {"COPYD2H", false, true},
                                                  {"PCIE_REDUCE", false},
                                                  {"COORDINATE_PUSH", false},
                                                  {"PUSH", false},
                                                  {"PULL", true},
                                                  {"COPYH2D", false, true},
                                                  {"COORDINATE_BROADCAST", false},
                                                  {"BROADCAST", true}}};

class PartitionSink final : public ChromeSink {
 public:
  PartitionSink(std::uint32_t rank, ImportReport& report) : rank_(rank), report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    if (event.phase != 'X' || event.thread == "total")
      return;
    const std::size_t dot = event.name.rfind('.');
    const auto stage = std::ranges::find_if(kStages, [&](const PassedStage& of) {
      return dot != std::string::npos && event.name.substr(dot + 1) == of.name;
    });
    if (stage == kStages.end()) {
      report_.skip("event that is no stage of a partition", fmt::format("event {}", number_));
      return;
    }
    if (!event.start || !event.duration || *event.duration < Seconds{}) {
      report_.skip("event without a start or duration", fmt::format("event {}", number_));
      return;
    }
    events_.push_back({.partition = fmt::format("{}[{}]", event.process, event.thread),
                       .stage = static_cast<std::size_t>(stage - kStages.begin()),
                       .begin = *event.start,
                       .end = *event.start + *event.duration});
  }

  std::set<std::string> partitions() const {
    std::set<std::string> names;
    for (const StageEvent& seen : events_)
      names.insert(seen.partition);
    return names;
  }

  void add_spans(Seconds later, std::vector<CommunicationSpan>& spans) {
    std::ranges::stable_sort(events_, {}, &StageEvent::begin);
    const auto passages = passages_in_order();
    const std::vector<Seconds>& begins = begins_of_steps(passages);
    std::map<std::pair<std::string, std::size_t>, std::uint32_t> counts;
    std::map<std::string, std::string> last_of;  // Of a partition, the stage it passed last.
    std::map<std::string, std::uint32_t> step_of;
    for (const StageEvent& seen : events_) {
      const bool all = passages.at({seen.partition, seen.stage}).size() == begins.size();
      const std::uint32_t counted = counts[{seen.partition, seen.stage}]++;
      const std::uint32_t step = all ? counted : step_at(seen.begin, begins);
      const std::string name = fmt::format("{} of {}", kStages[seen.stage].name, seen.partition);
      const bool goes_on = step_of.contains(seen.partition) && step_of[seen.partition] == step;
      spans.push_back({.rank = rank_,
                       .step = step,
                       .name = name,
                       .part = kStages[seen.stage].name,
                       .meets = kStages[seen.stage].meets ? SpanMeeting::All : SpanMeeting::None,
                       .stream = kBeside,
                       .copies = kStages[seen.stage].copies,
                       .begin = seen.begin + later,
                       .end = seen.end + later});
      if (goes_on)
        spans.back().follows = {last_of[seen.partition]};
      last_of[seen.partition] = name;
      step_of[seen.partition] = step;
    }
  }

 private:
  struct StageEvent {
    std::string partition;
    std::size_t stage = 0;
    Seconds begin{};
    Seconds end{};
  };

  /// When each partition passed each stage.
  using Passages = std::map<std::pair<std::string, std::size_t>, std::vector<Seconds>>;
  Passages passages_in_order() const {
    Passages passages;
    for (const StageEvent& seen : events_)
      passages[{seen.partition, seen.stage}].push_back(seen.begin);
    return passages;
  }

  /// Steps are counted by what passes once in each. Where some of that was lost, a step begins with
  /// what is complete, and of that with the earliest.
  static const std::vector<Seconds>& begins_of_steps(const Passages& passages) {
    const std::vector<Seconds>* best = nullptr;
    for (const auto& [of, begins] : passages)
      if (best == nullptr || begins.size() > best->size() ||
          (begins.size() == best->size() && begins.front() < best->front()))
        best = &begins;
    static const std::vector<Seconds> kNone;
    return best == nullptr ? kNone : *best;
  }
  static std::uint32_t step_at(Seconds time, const std::vector<Seconds>& begins) {
    const auto behind = std::ranges::upper_bound(begins, time) - begins.begin();
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(1, behind) - 1);
  }

  std::uint32_t rank_;
  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::vector<StageEvent> events_;
};

/// Ranks of one job have the same partitions.
void refuse_other_partitions(const std::set<std::string>& first, const std::set<std::string>& other,
                             const std::string& first_origin, const std::string& origin) {
  for (const std::string& partition : other)
    if (!first.contains(partition))
      throw InputError(
          fmt::format("{}: expected the partitions of {}, as ranks of one job have, "
                      "found {}",
                      origin, first_origin, in_quotes(partition)));
  for (const std::string& partition : first)
    if (!other.contains(partition))
      throw InputError(
          fmt::format("{}: expected the partitions of {}, as ranks of one job have; {} "
                      "is missing",
                      origin, first_origin, in_quotes(partition)));
}

}  // namespace

bool is_byteps_trace(std::string_view head) {
  return head.find("\"Comm.") != std::string_view::npos &&
         head.find("\"ph\"") != std::string_view::npos;
}

Job read_byteps_job(const std::vector<TraceStream>& files, const JobShape& shape,
                    ImportReport& report) {
  std::vector<CommunicationSpan> spans;
  std::map<std::uint32_t, std::string> seen;
  std::set<std::string> partitions;
  std::int64_t first_time_us = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint32_t rank = rank_of_file(files[i], i);
    const auto [other, is_new] = seen.emplace(rank, files[i].origin);
    if (!is_new)
      throw InputError(fmt::format("{}: expected another rank than that of {}, found {} for both",
                                   files[i].origin, other->second, rank));
    PartitionSink sink(rank, report);
    const auto source = files[i].open();
    const ChromeText text = read_chrome_json(*source, files[i].origin, sink, {});
    first_time_us = i == 0 ? text.first_time_us : first_time_us;
    if (i == 0)
      partitions = sink.partitions();
    refuse_other_partitions(partitions, sink.partitions(), files.front().origin, files[i].origin);
    constexpr double kMicro = 1e-6;
    sink.add_spans(Seconds{kMicro * static_cast<double>(text.first_time_us - first_time_us)},
                   spans);
  }
  return job_of_spans(std::move(spans), files.front().origin, shape, report);
}

}  // namespace stepcast
