#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/shared_flows.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// Moves flows over the links of a cluster. While each has its links for itself, it runs at the
/// narrowest of them on the queue's own clock. When two meet on a link, SimGrid takes all that are
/// in flight and those that follow, until none is left: it decides what each gets (SharedFlows).
/// After run_on_simgrid() it has all of them from the start.
class FlowLinks final : private EventQueue::Endings {
 public:
  /// `listener` is told of every flow that has arrived. All three must outlive the object, and
  /// nothing may be in flight.
  FlowLinks(const Cluster& cluster, EventQueue& queue, FlowListener& listener);
  ~FlowLinks() override;
  FlowLinks(const FlowLinks&) = delete;
  FlowLinks& operator=(const FlowLinks&) = delete;

  /// Within an event. Precondition: at most kLargestMessage.
  void start(const PortFlow& flow, std::uint32_t tag);

  /// From now on the rank's port carries `share` of its bandwidth, 0 < share <= 1.
  void set_port(Rank rank, double share);

  /// See NetworkBackend::run_on_simgrid().
  void run_on_simgrid(bool fold);

 private:
  struct Lone {
    PortFlow flow;
    LinkPath path;
    std::uint32_t tag = 0;
    std::uint64_t sequence = 0;
    double left = 0;  // bytes at `since`
    double rate = 0;
    double since = 0;
    double end = 0;  // infinite: it is over
  };
  struct End {
    double time;
    std::uint64_t sequence;
    std::uint32_t lone;
  };
  struct Later {
    bool operator()(const End& a, const End& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  void start_alone(const PortFlow& flow, const LinkPath& path, std::uint32_t tag);
  void run_at_narrowest(std::uint32_t lone);
  double left_now(const Lone& lone) const;
  void take_off_links(std::uint32_t lone);
  void drop_first_end();
  void hand_over();
  Seconds next_end() override;
  void end_before(Seconds time) override;
  void tell_of_ends() override;

  const Cluster& cluster_;
  EventQueue& queue_;
  FlowListener& listener_;
  ClusterLinks links_;
  std::vector<double> capacity_;     // by link, at the moment
  std::vector<std::uint32_t> user_;  // by link: in lone_, or kNone
  std::vector<double> share_;        // by rank: of its port
  std::vector<Lone> lone_;
  std::vector<std::uint32_t> idle_;  // lone_ to use again
  std::vector<End> ends_;            // a heap; some are of flows that were given other rates
  std::uint64_t sequence_ = 0;
  std::vector<std::uint32_t> arrived_;  // tags

  std::unique_ptr<SharedFlows> shared_;  // null: SimGrid was not asked yet
};

}  // namespace stepcast
