#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/collective/links.hpp"
#include "sim/engine/network/link_classes.hpp"
#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// A collective takes its closed form. Where several are under way at once, or several groups of a
/// team, no link carries more than it can: each group wants the share of a link that it uses when
/// it moves alone, after its start-ups, and all on a link that is wanted more than once over slow
/// down alike, max-min fair over the groups; ports may carry less than all for a while. That is
/// never faster than the links allow; flow, which is fair to single messages, may be a little
/// faster.
class AnalyticBackend : public NetworkBackend {
 public:
  /// `assumes`: collectives of all ranks are alone; see folding_with_barriers().
  AnalyticBackend(const Cluster& cluster, EventQueue& queue, bool assumes = false)
      : cluster_(cluster), queue_(queue), assumes_(assumes) {}
  void start(const Collective& collective, const Participants& participants, Seconds delay,
             Done done) override;
  void set_ports(std::span<const Rank> ranks, double share) override;

 private:
  /// The part that is used of all links of a class.
  struct ClassShare {
    std::uint32_t id = 0;
    double part = 0;
  };
  struct Cost {
    Seconds alone{};                        // of one group, on an idle network
    std::vector<LinkShare> shares{};        // of all groups; found when first under way with others
    std::vector<std::uint32_t> of_first{};  // which of them are the first group's, too
    Seconds moving{};                       // of `alone`, after the start-ups
    std::vector<ClassShare> asked{};        // the shares by class, the first group's classes first,
    std::size_t first_asked = 0;            // so many,
    std::size_t asked_at = 0;               // when there were so many classes
    ClassSet classes{};                     // of them all
  };
  struct Operation {
    Collective collective;
    Participants participants;
    Cost* cost = nullptr;
    std::unique_ptr<Cost> own;  // of groups made on the spot
    Seconds moves_at{-1};       // after its start-ups; < 0: not known yet
    bool is_barrier = false;    // of all ranks of the cluster
    bool wants = false;         // its shares are among wanted_
    bool is_open = false;       // its speed is looked for
    Seconds end{};              // if nothing begins or ends before
    bool ends = false;          // there is an event for that
    double slowness = 1;        // time taken over time taken alone, at the moment
    std::uint32_t version = 0;  // tells an end that was overtaken by a change of speed
    Done done;

    bool is_one_group() const { return participants.groups.size() == 1; }
  };
  /// An operation without a speed yet.
  struct Open {
    std::uint32_t operation = 0;
    std::size_t first = 0;  // of its links, in slowing_,
    std::size_t end = 0;    // and behind the last
    double slowness = 1;    // as things stand
  };
  struct Extremes {
    double least = 1;
    double most = 1;
  };

  Seconds time_alone(const Collective& collective, const Participants& participants) const;
  Cost& known_cost(const Collective& collective, const Participants& participants);
  void find_shares(Cost& cost, const Collective& collective, const Participants& participants);
  void find_shares_of_one(Cost& cost, const Collective& collective, const Group& group);
  void begin(std::uint32_t operation);
  void post_end(std::uint32_t operation);
  void end(std::uint32_t operation, std::uint32_t version);
  LinkLoads& loads();
  void know_start(Operation& operation);
  bool moves(std::uint32_t operation);
  void split_classes(std::span<const LinkShare> shares);
  const Cost& by_class(Cost& cost);
  void find_classes(Cost& cost);
  const std::vector<std::uint32_t>& ports_of(std::span<const Rank> ranks);
  bool want_links(Operation& operation);
  bool want_links_that_move();
  void leave_links(Operation& operation);
  void note_change(std::uint32_t id);
  void change_speeds();
  void find_speeds();
  void run_alone(std::uint32_t operation);
  void change_speeds_concerned();
  void check_barriers() const;
  void reach_concerned();
  void open(std::uint32_t operation);
  Extremes find_slowness();
  void share_links();
  void leave_to_others(const Open& settled);
  void run_at(std::uint32_t operation, double slowness);

  const Cluster& cluster_;
  EventQueue& queue_;
  bool assumes_;
  struct Ports {
    std::vector<std::uint32_t> classes;
    std::size_t known_at = 0;  // when there were so many
  };
  std::optional<LinkLoads> loads_;  // made when first needed
  LinkClasses classes_{0};
  std::map<Rank, Ports> ports_;       // by the first of the ranks
  std::vector<double> wanted_;        // by class of links, by all that move: 1 is all of a link
  std::vector<std::uint32_t> users_;  // by class: how many want it
  std::vector<double> carried_;       // by class: the share of its bandwidth that it has now
  std::uint32_t slowed_ = 0;          // classes that carry less than all of it
  std::vector<double> claimed_;       // while links are shared: by those without a speed yet,
  std::vector<double> left_;          // and what the others leave them;
  std::vector<std::uint32_t> marks_;  // both hold for classes that have the mark
  std::uint32_t mark_ = 0;
  std::vector<Open> open_;
  std::vector<std::uint32_t> slowing_;  // tight classes that they ask for
  bool changes_ = false;                // speeds are looked at, late in this instant,
  bool is_changed_ = false;             // and change, as something of tight links has
  ClassSet tight_;                      // classes that are wanted more than once over, of which
  ClassSet changed_;                    // these, or what they carry, have changed,
  ClassSet reached_;                    // and what operations on these reach
  std::map<CollectiveKey, Cost> costs_;
  std::vector<std::pair<const CollectiveKey, Cost>*> recent_costs_;  // by id of participants
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> idle_;       // operations_ to use again
  std::vector<std::uint32_t> under_way_;  // in order of their begin
  std::uint32_t barriers_ = 0;            // of these
  std::vector<std::uint32_t> moved_;      // that want links from now on
};

}  // namespace stepcast
