#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/json/json_text.hpp"
#include "traces/readers/horovod_timeline/horovod_timeline.hpp"
#include "traces/readers/ready_gaps.hpp"
#include "traces/readers/recognition/formats.hpp"
#include "traces/readers/recognition/other_profilers.hpp"

namespace stepcast {
namespace {

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
