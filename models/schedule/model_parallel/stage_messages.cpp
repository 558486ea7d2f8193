#include "models/schedule/model_parallel/stage_messages.hpp"

#include <algorithm>

namespace stepcast {

StageMessages::StageMessages(const HybridJob& job, Builder& builder, StageTeams& teams)
    : job_(job),
      builder_(builder),
      teams_(teams),
      messages_(std::size_t{2} * job.order.stages * job.order.chunks) {
  for (std::uint32_t i = 0; i < job.micro_batches(); ++i)
    micro_batches_.push_back("micro-batch " + std::to_string(i));
}

void StageMessages::add(std::uint32_t stage, const std::vector<PassEnds>& ends) {
  for (const PipelinePass& pass : job_.order.ranks[stage]) {
    const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
    if (pass.kind == PassKind::Forward && part + 1 < job_.order.parts())
      add_message(stage, pass, part, part + 1, ends);
    else if (pass.kind != PassKind::Forward && pass.kind != PassKind::WeightGradient && part > 0)
      add_message(stage, pass, part, part - 1, ends);
  }
}

void StageMessages::add_message(std::uint32_t stage, const PipelinePass& pass, std::uint32_t part,
                                std::uint32_t to_part, const std::vector<PassEnds>& ends) {
  const bool forward = to_part > part;
  const std::uint32_t to = stage_of(job_.order, to_part, pass.chunk);
  if (to == stage)
    return;
  const auto ends_of = [&](std::uint32_t of) {
    return ends[std::size_t{of} * job_.micro_batches() + pass.micro_batch];
  };
  const PassEnds made = ends_of(part);
  const PassEnds waits = ends_of(to_part);
  const std::size_t of = std::size_t{stage} * job_.order.chunks + pass.chunk;
  std::optional<Message>& message = messages_[2 * of + (forward ? 1 : 0)];
  if (!message)
    message = message_between(stage, to, message_size(job_, forward ? part : to_part),
                              teams_.messages(forward, pass.chunk, stage), forward);
  const TaskId sent =
      builder_.send(micro_batches_[pass.micro_batch], message->size, message->options);
  builder_.after(sent, {forward ? made.last_forward : made.last_backward});
  builder_.after(forward ? waits.first_forward : waits.first_backward, {arrival(sent, stage, to)});
}

// The start-up of a link delays a message; the link carries the next one meanwhile.
TaskId StageMessages::arrival(TaskId sent, std::uint32_t from, std::uint32_t to) {
  const Seconds startup = job_.links.empty() ? Seconds{} : link_between(from, to).startup;
  if (startup <= Seconds{})
    return sent;
  if (on_the_way_ == kNone)
    on_the_way_ = builder_.stream("on the way", ByPriority{.credit = Bytes{1}});
  return builder_.send("arrival", Bytes{},
                       {.stream = on_the_way_,
                        .team = teams_.between(from, to),
                        .overhead = startup,
                        .ideal = true,
                        .phase = "on the way",
                        .after = {sent}});
}

StageMessages::Message StageMessages::message_between(std::uint32_t from, std::uint32_t to,
                                                      Bytes whole, StreamId stream, bool forward) {
  const Bytes size = whole / message_ratio(job_, from, to);
  const bool linked = !job_.links.empty();
  return {.size = job_.blocked > Seconds{} || linked ? Bytes{} : size,
          .options = {.stream = stream,
                      .team = teams_.between(from, to),
                      .overhead = linked ? time_on_link(from, to, size) : Seconds{},
                      .phase = forward ? "activations" : "their gradients"}};
}

// All ranks of a stage share the link to the next one.
Seconds StageMessages::time_on_link(std::uint32_t from, std::uint32_t to, Bytes size) const {
  return size * job_.layout.stage_ranks() / link_between(from, to).bandwidth;
}

const StageLink& StageMessages::link_between(std::uint32_t from, std::uint32_t to) const {
  return job_.links[std::min(from, to)];
}

}  // namespace stepcast
