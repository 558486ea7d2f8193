#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/network/team.hpp"

namespace stepcast {

/// What a coordinate of a rank stands for. Node and Local (the rank's place on its node) come from
/// the cluster; the others are how a job is cut.
enum class Axis : std::uint8_t { Tensor, Context, Expert, Data, Pipeline, Node, Local };

const char* name_of(Axis axis);

class Layout;

/// A team in the making: which ranks of a layout meet, and which of those groups are meant.
class TeamChoice {
 public:
  /// Only the groups all of whose ranks have this coordinate. Of a shift along the same axis: only
  /// the pairs whose first rank has it.
  TeamChoice at(Axis axis, std::uint32_t coordinate) const;

  /// Throws InputError if no group is left, or if a rank would be in two.
  operator Team() const;  // NOLINT(google-explicit-constructor): a choice is how a team is named

 private:
  friend class Layout;
  TeamChoice(const Layout& layout, std::vector<Axis> along, std::int32_t shift)
      : layout_(&layout), along_(std::move(along)), shift_(shift) {}

  bool is_selected(Rank rank) const;
  std::vector<Group> lines() const;
  std::vector<Group> shifted(const std::vector<Group>& lines) const;

  const Layout* layout_;
  std::vector<Axis> along_;  // axes on which the ranks of a group differ
  std::int32_t shift_;       // 0: not a shift
  std::vector<std::pair<Axis, std::uint32_t>> fixed_;
};

/// Gives every rank of a cluster coordinates on named axes, and names the teams that follow from
/// them. Choices refer to the layout, which must outlive them.
class Layout {
 public:
  struct Size {
    Axis axis = Axis::Data;
    std::uint32_t size = 1;
  };

  /// `axes` in the order in which ranks count them, fastest first; an axis that is not named has
  /// size 1. Throws InputError if one is named twice, has size 0 or belongs to the cluster, or if
  /// the sizes do not multiply to the cluster's ranks.
  Layout(const Cluster& cluster, std::vector<Size> axes);

  std::uint32_t ranks() const { return ranks_; }
  std::uint32_t size(Axis axis) const;
  std::uint32_t coordinate(Rank rank, Axis axis) const;

  TeamChoice world() const;
  TeamChoice each() const;  ///< Every rank by itself.
  /// Groups of the ranks that differ in this coordinate only, in its order.
  TeamChoice along(Axis axis) const;
  /// The same of two axes, ascending by rank.
  TeamChoice along(Axis first, Axis second) const;
  /// For sends: the pairs of each rank and the one `distance` further on the axis, not around its
  /// end. A rank in the middle would be in two pairs: say with .at(axis, i) where they begin.
  TeamChoice shift(Axis axis, std::int32_t distance) const;

 private:
  friend class TeamChoice;
  std::uint64_t place_off(Rank rank, const std::vector<Axis>& axes) const;

  std::uint32_t ranks_;
  std::uint32_t gpus_per_node_;
  std::vector<Size> axes_;
};

}  // namespace stepcast
