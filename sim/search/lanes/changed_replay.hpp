#pragma once

#include <optional>

#include "sim/jobs/edits/editable_step.hpp"
#include "sim/search/lanes/changed_graph.hpp"

namespace stepcast {

/// When a recorded graph would end if some of its communications were fused or cut: only what comes
/// behind them is replayed, all else keeps its times. To the last bit what replay_graph() says of
/// the graph that is built anew.
class ChangedReplay {
 public:
  /// `times`: of replay_graph(). Both must outlive this. Linear in nodes and edges.
  ChangedReplay(const WorkGraph& graph, const std::vector<Interval>& times);

  /// The last end, in time linear in what comes behind the change, but for one look at all ends.
  /// None where the change names a node twice. Throws InputError where something would wait for
  /// itself, and what `ratio` throws; whatever is thrown, the next change finds the graph as it
  /// was.
  std::optional<Seconds> end_with(const LaneChange& change, const TransferRatio& ratio);

 private:
  /// A node that comes behind a change, or none.
  struct Late {
    bool is_late = false;
    std::uint32_t waits = 0;  ///< For so many others that are late.
    Seconds ready{};
    Seconds end{};
  };
  struct Meeting {
    bool is_late = false;
    std::uint32_t absent = 0;
    Seconds last_arrival{};
  };

  /// As it was, when it is left in whatever way.
  struct TakenBack {
    ChangedReplay& of;
    ~TakenBack() { of.take_back(); }
  };

  void take_back();
  void find_late();
  void be_late(std::uint32_t id);
  void count_waits();
  std::size_t run_late();
  void finish(std::uint32_t id, Seconds start);
  Seconds last_end() const;

  ChangedGraph graph_;
  const std::vector<Interval>& times_;
  std::vector<Late> nodes_;        // By node.
  std::vector<Meeting> meetings_;  // By meeting.
  std::vector<std::uint32_t> late_;
  std::vector<std::uint32_t> ready_;  // Those that can run.
};

}  // namespace stepcast
