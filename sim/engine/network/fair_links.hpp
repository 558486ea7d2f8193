#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/cluster_links.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// A Wire on the queue's own clock. A message alone on all its links runs at the slowest of them
/// from its start to its end; only those that meet others on a link are looked at together.
class FairLinks final : public Wire {
 public:
  FairLinks(const Cluster& cluster, EventQueue& queue);
  void send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
            std::uint32_t tag) override;
  void set_port(Rank rank, double share) override;

 private:
  struct Transfer {
    LinkPath path;
    std::uint32_t tag = 0;
    std::uint32_t version = 0;   // of its end: tells one that was overtaken
    bool is_known = false;       // to the solver that runs, and without a rate
    std::uint32_t position = 0;  // in open_
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
  void find_neighbours();
  void find_tight(double most);
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

  // While rates are found: links and transfers concerned, what is left of a link and for how many.
  std::vector<LinkId> met_;
  std::vector<char> is_met_;
  std::vector<std::uint32_t> open_, tight_;
  std::vector<double> left_;
  std::vector<std::uint32_t> left_for_;
};

}  // namespace stepcast
