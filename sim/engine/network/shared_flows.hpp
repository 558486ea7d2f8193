#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/flow_classes.hpp"
#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// Which flows SimGrid moves, and how.
struct FlowMoves {
  bool fold = true;  ///< Not: each flow by itself.
  bool all = false;  ///< Every flow of the simulation, whose clock is SimGrid's.
};

/// Flows that meet on links: SimGrid moves them, those of a class (see FlowClasses) as one that has
/// the bytes of all and takes as many shares. Of the links of a class the first carries the
/// bandwidth of all. SimGrid is the clock from the first flow that meets another to the last one
/// under way, or all the time.
class SharedFlows final : private FlowListener {
 public:
  /// `capacities` are those of the moment, by link. All but the cluster must outlive the object.
  SharedFlows(const Cluster& cluster, const ClusterLinks& links,
              const std::vector<double>& capacities, EventQueue& queue, FlowListener& listener,
              FlowMoves moves = {});

  /// Whether the next flow that starts is one of these.
  bool are_theirs() const { return moves_.all || are_moving(); }

  /// Within an event. It begins when all others of the instant have come.
  void start(const PortFlow& flow, const LinkPath& path, Bytes left, std::uint32_t tag);

  /// Within an event, if any are moving.
  void capacity_has_changed(LinkId link);

 private:
  struct FlowClass {
    std::vector<SharedFlow> flows;  // none: was taken apart
    SimGrid::Moving* moving = nullptr;
  };
  struct LinkClass {
    LinkId first = 0;
    std::uint32_t size = 0;
    std::uint32_t users = 0;  // classes of flows
    std::uint32_t met = 0;    // while it is looked at: links that were
    std::uint64_t mark = 0;   // of the first of these
    bool is_torn = false;     // their marks differ
  };

  bool are_moving() const { return in_flight_ > 0 || !starting_.empty(); }
  std::uint64_t idle_colour(LinkId link) const;
  void decide_later();
  void decide();
  void carry_changes();
  void carry(const LinkClass& links, bool in_use);
  template <class MarkOf>
  bool take_apart_where_torn(std::span<const LinkId> links, MarkOf mark_of);
  void take_apart_torn();
  void take_apart(FlowClass& whole);
  void begin(std::span<const std::uint32_t> flows);
  void use_links(std::span<const SharedFlow> flows);
  std::uint32_t new_link_class(std::span<const SharedFlow> flows, std::uint32_t hop);
  void leave_links(std::span<const SharedFlow> flows);
  void flow_arrived(std::uint32_t id) override;

  const ClusterLinks& links_;
  const std::vector<double>& capacity_;
  EventQueue& queue_;
  FlowListener& listener_;
  SimGrid& simgrid_;
  const Platform& platform_;
  FlowMoves moves_;

  FlowClasses classes_;
  std::vector<SharedFlow> starting_;
  std::vector<LinkId> changed_;
  bool is_decided_later_ = false;

  std::vector<FlowClass> flows_;
  std::vector<std::uint32_t> idle_flows_;  // flows_ to use again
  std::vector<LinkClass> link_classes_;
  std::vector<std::uint32_t> idle_link_classes_;
  std::vector<std::uint32_t> class_of_;  // by link: in link_classes_, or kNone
  std::vector<std::uint32_t> users_;     // by link: flows
  std::vector<std::uint64_t> colour_;    // by link
  std::uint64_t next_colour_ = 0;
  std::uint32_t in_flight_ = 0;  // of SimGrid's
  std::vector<std::uint32_t> met_;
  std::vector<SharedFlow> arrived_;
};

}  // namespace stepcast
