#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/engine/network/network_backend.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// Every message of the algorithm by itself: the reference for the cheaper fidelities. A rank sends
/// its messages of a round when its messages of the round before, sent and received, are done.
class StepBackend : public NetworkBackend, private FlowListener {
 public:
  StepBackend(const Cluster& cluster, EventQueue& queue, std::unique_ptr<Wire> wire);
  void run_on_simgrid(bool fold) override;
  void start(const Collective& collective, const Participants& participants, Seconds delay,
             Done done) override;
  void set_ports(std::span<const Rank> ranks, double share) override;

 private:
  /// A message with the places of its ends among the ranks of the groups.
  struct Hop {
    Message message;
    Seconds startup{};
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  /// A StepPlan prepared for replay: who sends what, by round and rank.
  struct Script {
    struct RoundScript {
      std::vector<Hop> hops;                 ///< Sorted by sender.
      std::vector<std::uint32_t> first_hop;  ///< Of rank r: first_hop[r] .. first_hop[r + 1].
      std::vector<std::uint32_t> messages;   ///< Sent plus received by rank r.
    };
    std::vector<RoundScript> rounds;      ///< Distinct rounds.
    std::vector<std::uint32_t> sequence;  ///< The rounds in order, repeats written out.
    std::uint32_t ranks = 0;
    bool barrier = false;
  };
  struct Operation {
    const Script* script = nullptr;
    std::unique_ptr<const Script> own;   ///< Of a group made on the spot.
    std::vector<std::uint32_t> missing;  ///< Unfinished messages, by round * ranks + rank.
    std::vector<std::uint32_t> round;    ///< The round each rank is in.
    std::uint32_t barrier_round = 0;
    std::uint32_t left_in_round = 0;  ///< Barrier only: messages left of barrier_round.
    std::uint32_t ranks_left = 0;
    Done done;
  };
  struct InFlight {
    std::uint32_t operation = 0;
    std::uint32_t round = 0;
    std::uint32_t hop = 0;
  };

  Script script_of(const Collective& collective, const Participants& participants) const;
  Script::RoundScript prepared(const Round& round,
                               const std::unordered_map<Rank, std::uint32_t>& place,
                               std::uint32_t ranks, bool starts_up) const;
  void begin(std::uint32_t operation);
  void begin_barrier_round(std::uint32_t operation);
  void advance(std::uint32_t operation, std::uint32_t rank);
  void send(std::uint32_t operation, std::uint32_t round, std::uint32_t hop);
  void flow_arrived(std::uint32_t message) override;
  void arrived(std::uint32_t message);
  void finish(std::uint32_t operation);

  const Cluster& cluster_;
  EventQueue& queue_;
  std::unique_ptr<Wire> wire_;
  std::map<CollectiveKey, Script> scripts_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> idle_operations_;
  std::vector<InFlight> messages_;
  std::vector<std::uint32_t> idle_messages_;
};

}  // namespace stepcast
