#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/model_parallel/stage_gradients.hpp"

namespace stepcast {

/// The first and the last task of a pass of one micro-batch through one part, forward and backward.
struct PassEnds {
  TaskId first_forward = kNone, last_forward = kNone;
  TaskId first_backward = kNone, last_backward = kNone;
};

/// The messages between the stages of a pipeline: activations forward, their gradients back.
class StageMessages {
 public:
  StageMessages(const HybridJob& job, Builder& builder, StageTeams& teams);

  /// Adds what a stage sends in a step. `ends` are those of all passes, micro-batches of part 0
  /// first.
  void add(std::uint32_t stage, const std::vector<PassEnds>& ends);

 private:
  /// What all messages from a chunk of a stage have in common, in one direction.
  struct Message {
    Bytes size{};
    CommunicationOptions options;
  };

  void add_message(std::uint32_t stage, const PipelinePass& pass, std::uint32_t part,
                   std::uint32_t to_part, const std::vector<PassEnds>& ends);
  Message message_between(std::uint32_t from, std::uint32_t to, Bytes whole, StreamId stream,
                          bool forward);
  /// Returns the task that ends when a message that `sent` puts on a link is there.
  TaskId arrival(TaskId sent, std::uint32_t from, std::uint32_t to);
  /// For so long the link is busy with it.
  Seconds time_on_link(std::uint32_t from, std::uint32_t to, Bytes size) const;
  const StageLink& link_between(std::uint32_t from, std::uint32_t to) const;

  const HybridJob& job_;
  Builder& builder_;
  StageTeams& teams_;
  std::vector<std::optional<Message>> messages_;  // by stage, chunk and direction
  std::vector<std::string> micro_batches_;        // their names
  StreamId on_the_way_ = kNone;                   // arrivals, any number at once
};

}  // namespace stepcast
