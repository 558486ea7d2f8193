#include "traces/job/spans/negotiations.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/job/medians.hpp"

namespace stepcast {

namespace {

constexpr std::string_view kNegotiates = "NEGOTIATE_";

std::optional<std::uint32_t> rank_in(const std::string& name) {
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(rank)
                                                                  : std::nullopt;
}

/// Of a tensor from "float32" and "[256, 10]"; 0: not told.
Bytes size_of(std::string_view type, std::string_view shape) {
  if (type.empty() || shape.size() < 2 || shape.front() != '[')
    return {};
  const std::size_t digits = type.find_first_of("0123456789");
  const std::string_view rest = digits == std::string_view::npos ? "" : type.substr(digits);
  unsigned bits = 8;  // Of bool and byte.
  std::from_chars(rest.data(), rest.data() + rest.size(), bits);
  double count = 1;
  for (shape.remove_prefix(1); !shape.empty();) {
    unsigned long long extent = 0;
    if (std::from_chars(shape.data(), shape.data() + shape.size(), extent).ec == std::errc())
      count *= static_cast<double>(extent);
    const std::size_t next = shape.find_first_of(" ");
    shape.remove_prefix(next == std::string_view::npos ? shape.size() : next + 1);
  }
  return Bytes{count * bits / 8};
}

/// Tensors are processes of the timeline: a negotiation with the marks of ranks, then the
/// operation and within it its phases.
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
      end(tensor, event);
    else if (event.phase == 'X' || event.phase == 'i' || event.phase == 'I')
      mark(tensor, event);
  }

  NegotiationRecord record() {
    NegotiationRecord record{.done = std::move(done_)};
    for (auto& [process, tensor] : tensors_) {
      if (tensor.depth > 0)
        report_.skip("tensor whose operation has no end", "process " + process);
      if (!tensor.now.ready.empty())
        record.open.push_back(std::move(tensor.now));
    }
    return record;
  }

 private:
  struct Tensor {
    std::string name;
    int depth = 0;
    bool negotiates = false;
    std::uint32_t count = 0;
    Negotiation now;
  };

  void begin(Tensor& tensor, const ChromeEvent& event) {
    ++tensor.depth;
    if (tensor.depth == 2 && !tensor.negotiates)
      tensor.now.phases.push_back({event.name, *event.start, *event.start});
    if (tensor.depth > 1)
      return;
    tensor.negotiates = event.name.starts_with(kNegotiates);
    if (tensor.negotiates)
      tensor.now = {};
    tensor.now.operation = tensor.negotiates ? event.name.substr(kNegotiates.size()) : event.name;
    tensor.now.begin = *event.start;
  }

  void mark(Tensor& tensor, const ChromeEvent& event) {
    const auto rank = rank_in(event.name);
    if (rank && tensor.depth > 0 && tensor.negotiates)
      tensor.now.ready.emplace(*rank, *event.start);
  }

  void end(Tensor& tensor, const ChromeEvent& event) {
    if (tensor.depth == 0) {
      report_.skip("end that fits no begin", fmt::format("event {}", number_));
      return;
    }
    --tensor.depth;
    if (tensor.depth == 1 && !tensor.negotiates && !tensor.now.phases.empty())
      tensor.now.phases.back().end = *event.start;
    if (tensor.depth > 0 || tensor.negotiates)
      return;
    tensor.now.end = *event.start;
    tensor.now.size = size_of(event.text("dtype"), event.text("shape"));
    keep(tensor);
  }

  void keep(Tensor& tensor) {
    Negotiation& now = tensor.now;
    const auto late =
        std::erase_if(now.ready, [&](const auto& rank) { return rank.second > now.begin; });
    for (std::size_t i = 0; i < late; ++i)
      report_.skip("operation that begins before a rank is ready",
                   fmt::format("event {}", number_));
    if (!now.ready.empty() && now.begin <= now.end) {
      now.tensor = tensor.name;
      now.count = tensor.count++;
      done_.push_back(std::move(now));
    }
    now = {};
  }

  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::map<std::string, Tensor> tensors_;  // By process.
  std::vector<Negotiation> done_;
};

}  // namespace

NegotiationRecord read_negotiations(const TraceStream& file, ImportReport& report) {
  NegotiationSink sink(report);
  const auto source = file.open();
  const ChromeText text = read_chrome_json(*source, file.origin, sink, {.may_end_early = true});
  if (text.truncated)
    report.doubt("list of events without an end", file.origin);
  return sink.record();
}

std::string last_to_be_ready(const NegotiationRecord& record) {
  std::map<std::uint32_t, std::vector<double>> behind;  // By rank, the first to be ready.
  std::size_t tensors = 0;
  for (const std::vector<Negotiation>* all : {&record.done, &record.open})
    for (const Negotiation& of : *all) {
      if (of.ready.size() < 2)
        continue;
      ++tensors;
      const auto when = [](const auto& ready) { return ready.second; };
      const Seconds first = std::ranges::min_element(of.ready, {}, when)->second;
      for (const auto& [rank, ready] : of.ready)
        behind[rank].push_back((ready - first).value);
    }
  if (tensors == 0)
    return {};
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [rank, times] : behind)
    if (2 * times.size() > tensors)  // Few marks say little.
      order.emplace_back(middle_of(times), rank);
  if (order.size() < 2)
    return {};
  std::ranges::sort(order);
  const auto& [latest, last] = order.back();
  return fmt::format("rank {} was ready last, {} behind rank {} in the median of {} tensors", last,
                     format_seconds(Seconds{latest - order.front().first}), order.front().second,
                     tensors);
}

namespace {

bool is_copy(const OperationPhase& phase) {
  return phase.name.starts_with("MEMCPY_IN") || phase.name.starts_with("MEMCPY_OUT");
}

/// Of a library: NCCL_ALLREDUCE, MPI_ALLREDUCE, GLOO_ALLREDUCE.
bool moves(const OperationPhase& phase, const std::string& operation) {
  return !is_copy(phase) && phase.name.ends_with("_" + operation);
}

OperationPhase main_phase(const Negotiation& of) {
  for (const OperationPhase& phase : of.phases)
    if (moves(phase, of.operation))
      return phase;
  return {of.operation, of.begin, of.end};
}

/// From the first tensor's begin to the last one's end.
void add_phase(const OperationPhase& phase, FusionBuffer& buffer) {
  const auto found = std::ranges::find(buffer.phases, phase.name, &OperationPhase::name);
  if (found == buffer.phases.end()) {
    buffer.phases.push_back(phase);
    return;
  }
  found->begin = std::min(found->begin, phase.begin);
  found->end = std::max(found->end, phase.end);
}

void finish(FusionBuffer& buffer) {
  const Negotiation& first = buffer.tensors.front();
  const std::size_t more = buffer.tensors.size() - 1;
  buffer.name = more == 0 ? first.tensor : fmt::format("{} and {} more", first.tensor, more);
  bool sized = true;
  for (const Negotiation& tensor : buffer.tensors) {
    buffer.size += tensor.size;
    sized = sized && tensor.size > Bytes{};
    for (const OperationPhase& phase : tensor.phases)
      if (is_copy(phase))
        add_phase(phase, buffer);
    add_phase(main_phase(tensor), buffer);
  }
  buffer.size = sized ? buffer.size : Bytes{};
  std::ranges::stable_sort(buffer.phases, {}, &OperationPhase::begin);
  const std::string main = main_phase(first).name;
  buffer.main = static_cast<std::size_t>(
      std::ranges::find(buffer.phases, main, &OperationPhase::name) - buffer.phases.begin());
  for (std::size_t i = 1; i < buffer.phases.size(); ++i)  // Tensors' own ends differ a little.
    buffer.phases[i].begin = std::max(buffer.phases[i].begin, buffer.phases[i - 1].end);
  for (OperationPhase& phase : buffer.phases)
    phase.end = std::max(phase.begin, phase.end);
}

}  // namespace

std::vector<FusionBuffer> fusion_buffers(std::vector<Negotiation> negotiations) {
  std::ranges::stable_sort(negotiations, {},
                           [](const Negotiation& of) { return main_phase(of).begin; });
  std::vector<FusionBuffer> buffers;
  Seconds end{};
  for (Negotiation& of : negotiations) {
    const OperationPhase main = main_phase(of);
    const bool joins = !buffers.empty() && !of.phases.empty() && main.begin < end &&
                       buffers.back().tensors.front().count == of.count;
    end = joins ? std::max(end, main.end) : main.end;
    if (!joins)
      buffers.emplace_back();
    buffers.back().tensors.push_back(std::move(of));
  }
  for (FusionBuffer& buffer : buffers)
    finish(buffer);
  return buffers;
}

}  // namespace stepcast
