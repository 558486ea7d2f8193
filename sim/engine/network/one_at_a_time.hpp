#pragma once

#include <map>
#include <memory>
#include <utility>

#include "sim/engine/network/network_backend.hpp"
#include "sim/engine/program.hpp"

namespace stepcast {

/// Whether no two communications of a program can be under way at the same time: all are on one
/// stream, whose rule has them one after the other. Precondition: no policy of the caller's.
bool communicates_one_at_a_time(const Plan& plan, const Program& program, const Folding& folding);

/// A network on which collectives never meet: each takes as long as when it was first carried out.
/// So the back-end carries it out once, and further iterations cost events instead of flows.
class OneAtATime : public NetworkBackend {
 public:
  OneAtATime(std::unique_ptr<NetworkBackend> backend, EventQueue& queue)
      : backend_(std::move(backend)), queue_(queue) {}
  void run_on_simgrid(bool fold) override { backend_->run_on_simgrid(fold); }
  void start(const Collective& collective, const Participants& participants, Seconds delay,
             Done done) override;
  void set_ports(std::span<const Rank> ranks, double share) override {
    backend_->set_ports(ranks, share);
  }

 private:
  void finish();

  std::unique_ptr<NetworkBackend> backend_;
  EventQueue& queue_;
  std::map<CollectiveKey, Seconds> times_;
  Done done_;  // of the collective that is under way
};

}  // namespace stepcast
