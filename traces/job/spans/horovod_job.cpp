#include "traces/job/spans/horovod_job.hpp"

#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/job/spans/spans.hpp"
#include "traces/readers/chrome_json/chrome_events.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kNegotiates = "NEGOTIATE_";

std::optional<std::uint32_t> rank_in(const std::string& name) {
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(rank)
                                                                  : std::nullopt;
}

/// Tensors are processes of the timeline: a negotiation with the marks of ranks, then the
/// operation.
class NegotiationSink final : public ChromeSink {
 public:
  explicit NegotiationSink(ImportReport& report) : report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    Tensor& tensor = tensors_[event.process];
    if (event.phase == 'M' && event.name == "process_name")
      tensor.name = event.text("name");
    if (!event.start)
      return;
    if (event.phase == 'B')
      begin(tensor, event);
    else if (event.phase == 'E')
      end(tensor, *event.start);
    else if (event.phase == 'X' || event.phase == 'i' || event.phase == 'I')
      mark(tensor, event);
  }
  void property(const std::string&, const ChromeArgument&) override {}

  std::vector<CommunicationSpan> spans() {
    for (const auto& [process, tensor] : tensors_)
      if (tensor.depth > 0)
        report_.skip("tensor whose operation has no end", "process " + process);
    return std::move(spans_);
  }

 private:
  struct Tensor {
    std::string name;
    std::string operation;
    int depth = 0;
    bool negotiates = false;
    std::map<std::uint32_t, Seconds> ready;  // By rank.
    std::uint32_t count = 0;
  };

  void begin(Tensor& tensor, const ChromeEvent& event) {
    if (tensor.depth++ > 0)
      return;
    tensor.negotiates = event.name.starts_with(kNegotiates);
    tensor.operation = tensor.negotiates ? event.name.substr(kNegotiates.size()) : event.name;
    if (tensor.negotiates)
      tensor.ready.clear();
  }

  void mark(Tensor& tensor, const ChromeEvent& event) {
    const auto rank = rank_in(event.name);
    if (rank && tensor.depth > 0 && tensor.negotiates)
      tensor.ready.emplace(*rank, *event.start);
  }

  void end(Tensor& tensor, Seconds time) {
    if (tensor.depth == 0) {
      report_.skip("end that fits no begin", fmt::format("event {}", number_));
      return;
    }
    if (--tensor.depth > 0 || tensor.negotiates)
      return;
    for (const auto& [rank, ready] : tensor.ready)
      if (ready <= time)
        spans_.push_back({.rank = rank,
                          .step = tensor.count,
                          .name = fmt::format("{} of {}", tensor.operation, tensor.name),
                          .part = tensor.operation,
                          .begin = ready,
                          .end = time});
      else
        report_.skip("operation that ends before a rank is ready",
                     fmt::format("event {}", number_));
    tensor.count += tensor.ready.empty() ? 0 : 1;
    tensor.ready.clear();
  }

  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::map<std::string, Tensor> tensors_;  // By process.
  std::vector<CommunicationSpan> spans_;
};

}  // namespace

Job read_horovod_job(const TraceStream& file, const JobShape& shape, ImportReport& report) {
  NegotiationSink sink(report);
  const auto source = file.open();
  const ChromeText text = read_chrome_json(*source, file.origin, sink, {.may_end_early = true});
  if (text.truncated)
    report.doubt("list of events without an end", file.origin);
  auto spans = sink.spans();
  if (spans.empty())
    throw InputError(file.origin +
                     ": expected negotiations with a mark of each rank, found none; write the "
                     "timeline with HOROVOD_TIMELINE");
  return job_of_spans(std::move(spans), file.origin, shape, report);
}

}  // namespace stepcast
