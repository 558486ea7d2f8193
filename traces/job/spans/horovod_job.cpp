#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/spans/negotiations.hpp"
#include "traces/job/spans/ring_chunks.hpp"
#include "traces/job/spans/spans.hpp"

namespace stepcast {
namespace {

constexpr std::uint8_t kBufferStream = 1;

class HorovodSpans {
 public:
  HorovodSpans(std::vector<FusionBuffer> buffers, RingRecord rings)
      : buffers_(std::move(buffers)), rings_(std::move(rings)) {
    for (const FusionBuffer& buffer : buffers_)
      for (const Negotiation& tensor : buffer.tensors)
        for (const auto& [rank, ready] : tensor.ready)
          ranks_.insert(rank);
  }

  std::vector<CommunicationSpan> run() {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      for (const std::uint32_t rank : ranks_)
        add_buffer(i, rank);
    return std::move(spans_);
  }

  /// Puts each rank's chunks on the timeline's clock. Those of some ranks alone say little: who has
  /// none would reduce the whole where the others reduce pieces.
  void align(const std::string& origin, ImportReport& report) {
    const auto lacks = std::ranges::find_if(
        ranks_, [&](std::uint32_t rank) { return !rings_.ranks.contains(rank); });
    if (!rings_.ranks.empty() && lacks != ranks_.end()) {
      report.doubt("chunks that are not taken, as a rank has none", fmt::format("rank {}", *lacks));
      rings_.ranks.clear();
    }
    for (const auto& [rank, all] : rings_.ranks)
      if (all.size() != buffers_.size())
        throw InputError(fmt::format(
            "{}: rank {}: expected chunks of {} all-reduces, as the timeline holds, found {}",
            origin, rank, buffers_.size(), all.size()));
    std::vector<Seconds> ends;
    for (const FusionBuffer& buffer : buffers_)
      ends.push_back(main_of(buffer).end);
    shifts_ = put_on_clock(rings_, ends);
  }

  const std::vector<Seconds>& shifts() const { return shifts_; }

 private:
  static const OperationPhase& main_of(const FusionBuffer& buffer) {
    return buffer.phases[buffer.main];
  }

  void add_buffer(std::size_t number, std::uint32_t rank);
  void add_chunks(std::size_t number, std::uint32_t rank, CommunicationSpan span);

  std::vector<FusionBuffer> buffers_;
  RingRecord rings_;
  std::set<std::uint32_t> ranks_;
  std::vector<Seconds> shifts_;
  std::vector<CommunicationSpan> spans_;
};

/// The negotiations of a buffer's tensors on a rank, then its phases one after the other.
void HorovodSpans::add_buffer(std::size_t number, std::uint32_t rank) {
  const FusionBuffer& buffer = buffers_[number];
  std::vector<std::string> before;
  for (const Negotiation& tensor : buffer.tensors) {
    const auto ready = tensor.ready.find(rank);
    if (ready == tensor.ready.end())
      return;  // The step lacks what other ranks have, and is left out.
    before.push_back(fmt::format("negotiation of {}", tensor.tensor));
    spans_.push_back({.rank = rank,
                      .step = tensor.count,
                      .name = before.back(),
                      .part = "negotiation",
                      .stream = kBeside,
                      .begin = ready->second,
                      .end = std::min(tensor.begin, buffer.phases.front().begin)});
    spans_.back().end = std::max(spans_.back().end, spans_.back().begin);
  }
  for (std::size_t i = 0; i < buffer.phases.size(); ++i) {
    const OperationPhase& phase = buffer.phases[i];
    const bool main = i == buffer.main;
    CommunicationSpan span{.rank = rank,
                           .step = buffer.tensors.front().count,
                           .name = fmt::format("{} of {}", phase.name, buffer.name),
                           .part = main ? phase.name : "copies",
                           .follows = before,
                           .meets = main ? SpanMeeting::All : SpanMeeting::None,
                           .stream = kBufferStream,
                           .in_order = true,
                           .computes = !main,
                           .copies = !main,
                           .size = main ? buffer.size : Bytes{},
                           .begin = phase.begin,
                           .end = phase.end};
    before = {span.name};
    if (main && rings_.ranks.contains(rank))
      add_chunks(number, rank, std::move(span));
    else
      spans_.push_back(std::move(span));
  }
}

/// The all-reduce as its chunks: `span`, which ends it, takes no time of its own.
void HorovodSpans::add_chunks(std::size_t number, std::uint32_t rank, CommunicationSpan span) {
  const std::vector<std::string> ready = span.follows;
  const auto name_of = [&](bool sends, const RingChunk& chunk, std::uint32_t step) {
    return fmt::format("{} {} of channel {}.{} of {}", sends ? "SEND" : "RECV", step, chunk.channel,
                       chunk.piece, buffers_[number].name);
  };
  const auto& chunks = rings_.ranks.at(rank)[number];
  span.follows = ready;
  for (const RingChunk& chunk : chunks) {
    CommunicationSpan piece{
        .rank = rank,
        .step = span.step,
        .name = name_of(chunk.sends, chunk, chunk.step),
        .part = chunk.sends ? "SEND" : "RECV",
        .follows = ready,
        .stream = static_cast<std::uint8_t>(2 + 2 * (chunk.channel % 125) + (chunk.sends ? 0 : 1)),
        .in_order = true,
        .begin = chunk.begin,
        .end = chunk.end};
    piece.like = fmt::format("{} of {}", piece.part, buffers_[number].name);
    piece.meets = chunk.sends ? SpanMeeting::Sender : SpanMeeting::Receiver;
    std::uint32_t receiver = rank;
    if (chunk.sends)
      receiver = rings_.next[chunk.channel][rank];
    piece.message = fmt::format("{} to rank {}", name_of(true, chunk, chunk.step), receiver);
    if (chunk.sends && chunk.step > 0)
      piece.follows.push_back(name_of(false, chunk, chunk.step - 1));
    span.follows.push_back(piece.name);
    spans_.push_back(std::move(piece));
  }
  span.meets = SpanMeeting::None;
  span.begin = span.end = last_end(chunks);
  spans_.push_back(std::move(span));
}

}  // namespace

namespace {

/// What led up to the first step nothing says, and its start is none of others.
void refuse_first_step_alone(const NegotiationRecord& record, const std::string& origin) {
  const auto is_first = [](const Negotiation& of) { return of.count == 0; };
  if (!std::ranges::all_of(record.done, is_first))
    return;
  const std::string last = last_to_be_ready(record);
  throw InputError(fmt::format(
      "{}: expected two steps, as nothing says what led up to the first; found the first alone, in "
      "which {} of {} tensors were reduced{}{}",
      origin, record.done.size(), record.done.size() + record.open.size(),
      last.empty() ? "" : " and ", last));
}

}  // namespace

Job read_horovod_job(const TraceStream& file, const JobShape& shape, ImportReport& report,
                     const std::vector<TraceStream>& chunks) {
  NegotiationRecord record = read_negotiations(file, report);
  if (record.done.empty())
    throw InputError(file.origin +
                     ": expected negotiations with a mark of each rank, found none; write the "
                     "timeline with HOROVOD_TIMELINE");
  refuse_first_step_alone(record, file.origin);
  HorovodSpans spans(fusion_buffers(std::move(record.done)), read_ring_chunks(chunks, report));
  spans.align(file.origin, report);
  SpanRanks ranks{.shifted = spans.shifts(), .one_clock = true};
  return job_of_spans(spans.run(), file.origin, shape, report, ranks);
}

}  // namespace stepcast
