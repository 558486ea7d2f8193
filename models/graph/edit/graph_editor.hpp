#pragma once

#include <vector>

#include "models/graph/edit/work_graph.hpp"

namespace stepcast {

/// Changes a graph node by node, while the numbers of its nodes stay; finish() numbers them anew.
class GraphEditor {
 public:
  explicit GraphEditor(WorkGraph graph);

  const WorkGraph& graph() const { return graph_; }
  WorkGraph& graph() { return graph_; }
  WorkNode& node(std::uint32_t id) { return graph_.nodes[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(graph_.nodes.size()); }

  /// Another node, whose place in its stream is before or behind that of `beside`, or of all that
  /// were added there before.
  std::uint32_t add(const WorkNode& node, std::uint32_t beside, bool before = false);
  /// Moves a node directly before or behind another.
  void place(std::uint32_t id, std::uint32_t beside, bool before);
  /// Puts nodes, in a new order, on the places that they had in the old one.
  void reseat(const std::vector<std::uint32_t>& old_order,
              const std::vector<std::uint32_t>& new_order);
  void edge(std::uint32_t before, std::uint32_t after, std::uint32_t later = 0) {
    graph_.edges.push_back({before, after, later});
  }
  /// Takes a node away. What waited for it, on its stream too, waits for what it waited for.
  void remove(std::uint32_t id);
  /// Takes a node away without a trace but what `into` does for it: its edges become that one's.
  void put_into(std::uint32_t id, std::uint32_t into);

  WorkGraph finish() &&;

 private:
  struct Earlier {
    std::uint32_t node = 0;
    std::uint32_t later = 0;
  };

  void redirect();
  void bypass_removed();
  std::vector<std::uint32_t> nodes_in_order() const;
  void renumber();

  WorkGraph graph_;
  std::uint32_t first_added_ = 0;
  std::vector<double> place_;
  std::vector<bool> gone_;
  std::vector<std::uint32_t> into_;  // Whose edges a node that is gone has; kNone: nobody's.
  bool any_removed_ = false;
};

}  // namespace stepcast
