#pragma once

#include <vector>

#include "sim/engine/policy/dispatch_policy.hpp"

namespace stepcast {

/// First in, first out, as an NCCL communicator: an operation starts when it heads the stream on
/// every rank that takes part.
class InOrderPolicy : public DispatchPolicy {
 public:
  InOrderPolicy(StreamId stream, const Program& program, const Folding& folding,
                Dispatcher& dispatcher);
  void ready(Operation operation) override;
  void finished(Operation operation) override;

 private:
  /// The first unfinished operation of the stream on one class.
  struct Head {
    std::uint32_t iteration = 0;
    std::size_t position = 0;  // in order_
    bool running = false;
  };
  Operation operation_at(const Head& head) const;
  void advance(ClassId rank_class);
  void skip_foreign(ClassId rank_class);
  void try_launch(Operation operation);

  const Program& program_;
  const Folding& folding_;
  Dispatcher& dispatcher_;
  const std::vector<StepId>& order_;
  std::vector<Head> heads_;  // by class
};

}  // namespace stepcast
