#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/cluster_links.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// Whose rates are found anew when messages begin or end.
enum class Reach : std::uint8_t {
  All,  ///< Those of all that are joined to them through shared links.
  /// Those that share a link with them, and of the others only those whose fair share changes by
  /// more than a few percent. The cost of a message does not grow with the cluster.
  Near,
};

/// A Wire on the queue's own clock. Links share their bandwidth max-min fairly and never carry more
/// than it. A message alone on all its links runs at the slowest of them from its start to its end;
/// only those that meet others on a link are looked at together.
class FairLinks final : public Wire {
 public:
  FairLinks(const Cluster& cluster, EventQueue& queue, Reach reach = Reach::All);
  void send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
            std::uint32_t tag) override;
  void set_port(Rank rank, double share) override;

 private:
  struct Transfer {
    LinkPath path;
    std::uint32_t tag = 0;
    std::uint32_t version = 0;   // of its end: tells one that was overtaken
    bool is_open = false;        // among open_
    bool is_settled = false;     // has its `share` of this filling
    std::uint32_t position = 0;  // in open_
    LinkId narrowest = 0;        // the link that sets the share
    double share = 0;            // the next rate
    FlowListener* listener = nullptr;
    double left = 0;  // bytes at `since`
    double rate = 0;  // 0: has none yet
    double since = 0;
  };
  struct Event {
    double time;
    std::uint64_t sequence;
    std::uint32_t transfer;
    std::uint32_t version;  // kBegins, or of the end
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  void post(double time, std::uint32_t transfer, std::uint32_t version);
  void arm();
  void run();
  void begin(std::uint32_t transfer);
  void end(std::uint32_t transfer);
  void run_at(Transfer& transfer, std::uint32_t id, double rate);
  void meet(LinkId link);
  void open_users(LinkId link);
  void open_concerned();
  bool opens_more(LinkId link) const;
  bool open_neighbours();
  void begin_filling();
  void find_tight(double most);
  void fill();
  void share();
  void share_now();

  EventQueue& queue_;
  ClusterLinks links_;
  std::vector<double> capacity_;                   // by link, at the moment
  std::vector<std::vector<std::uint32_t>> users_;  // by link: transfers that move
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> idle_;  // transfers_ to use again
  std::vector<Event> events_;        // a heap
  std::uint64_t sequence_ = 0;
  double armed_for_;  // the first event that the queue knows of
  bool running_ = false;
  std::vector<LinkId> changed_;  // links whose users have to be given new rates

  Reach reach_;
  // While rates are found: transfers that get new ones, in the order of their filling at last; the
  // links that they cross, and whether a link has no other users; what is left of it, for how many.
  std::vector<std::uint32_t> open_, tight_, settled_;
  std::vector<LinkId> met_, filling_;
  std::vector<char> is_met_, is_whole_;
  std::vector<double> left_;
  std::vector<std::uint32_t> left_for_;
};

}  // namespace stepcast
