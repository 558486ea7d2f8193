#include "models/network/layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"

namespace stepcast {
namespace {

bool is_physical(Axis axis) {
  return axis == Axis::Node || axis == Axis::Local;
}

bool contains(const std::vector<Axis>& axes, Axis axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

}  // namespace

const char* name_of(Axis axis) {
  return name_among({"tensor", "context", "expert", "data", "pipeline", "node", "local"}, axis);
}

Layout::Layout(const Cluster& cluster, std::vector<Size> axes)
    : ranks_(cluster.ranks()), gpus_per_node_(cluster.gpus_per_node), axes_(std::move(axes)) {
  std::uint64_t product = 1;
  std::vector<Axis> seen;
  for (const auto& [axis, size] : axes_) {
    if (is_physical(axis) || size == 0 || contains(seen, axis))
      throw InputError(
          fmt::format("layout: expected different axes of a job with sizes of at "
                      "least 1, found {} of size {}",
                      name_of(axis), size));
    seen.push_back(axis);
    product *= size;
  }
  if (product != ranks_)
    throw InputError(
        fmt::format("layout: expected sizes that multiply to the {} ranks of the cluster, found {}",
                    ranks_, product));
}

std::uint32_t Layout::size(Axis axis) const {
  if (axis == Axis::Local)
    return gpus_per_node_;
  if (axis == Axis::Node)
    return ranks_ / gpus_per_node_;
  const auto found = std::ranges::find(axes_, axis, &Size::axis);
  return found == axes_.end() ? 1 : found->size;
}

std::uint32_t Layout::coordinate(Rank rank, Axis axis) const {
  if (axis == Axis::Local)
    return rank % gpus_per_node_;
  if (axis == Axis::Node)
    return rank / gpus_per_node_;
  for (const auto& [each, size] : axes_) {
    if (each == axis)
      return rank % size;
    rank /= size;
  }
  return 0;
}

// One number for a rank's coordinates on the axes of the same kind (the job's, or the cluster's)
// that are not among `axes`.
std::uint64_t Layout::place_off(Rank rank, const std::vector<Axis>& axes) const {
  if (is_physical(axes.front()))
    return coordinate(rank, axes.front() == Axis::Node ? Axis::Local : Axis::Node);
  std::uint64_t place = 0;
  for (const auto& [axis, size] : axes_)
    if (!contains(axes, axis))
      place = place * size + coordinate(rank, axis);
  return place;
}

TeamChoice Layout::world() const {
  std::vector<Axis> all;
  for (const auto& [axis, size] : axes_)
    all.push_back(axis);
  return {*this, all.empty() ? std::vector{Axis::Data} : all, 0};
}

TeamChoice Layout::each() const {
  return {*this, {}, 0};
}

TeamChoice Layout::along(Axis axis) const {
  return {*this, {axis}, 0};
}

TeamChoice Layout::along(Axis first, Axis second) const {
  if (is_physical(first) || is_physical(second))
    throw InputError("layout: expected two axes of the job, found one of the cluster");
  return {*this, {first, second}, 0};
}

TeamChoice Layout::shift(Axis axis, std::int32_t distance) const {
  if (distance == 0)
    throw InputError(
        fmt::format("shift along {}: expected a distance other than 0", name_of(axis)));
  return {*this, {axis}, distance};
}

TeamChoice TeamChoice::at(Axis axis, std::uint32_t coordinate) const {
  if (coordinate >= layout_->size(axis))
    throw InputError(fmt::format("{} {}: expected a coordinate from 0 to {}", name_of(axis),
                                 coordinate, layout_->size(axis) - 1));
  if (shift_ == 0 && contains(along_, axis))
    throw InputError(
        fmt::format("{} {}: the groups differ in this coordinate", name_of(axis), coordinate));
  TeamChoice narrowed = *this;
  narrowed.fixed_.emplace_back(axis, coordinate);
  return narrowed;
}

bool TeamChoice::is_selected(Rank rank) const {
  return std::ranges::all_of(fixed_, [&](const auto& fixed) {
    return contains(along_, fixed.first) || layout_->coordinate(rank, fixed.first) == fixed.second;
  });
}

// Groups that have all their ranks.
std::vector<Group> TeamChoice::lines() const {
  std::map<std::uint64_t, std::size_t> index;
  std::vector<Group> lines;
  for (Rank rank = 0; rank < layout_->ranks(); ++rank) {
    const std::uint64_t key = along_.empty() ? rank : layout_->place_off(rank, along_);
    const auto [known, is_new] = index.try_emplace(key, lines.size());
    if (is_new)
      lines.emplace_back();
    lines[known->second].ranks.push_back(rank);
  }
  std::erase_if(lines, [this](const Group& line) {
    return !std::ranges::all_of(line.ranks, [this](Rank rank) { return is_selected(rank); });
  });
  return lines;
}

std::vector<Group> TeamChoice::shifted(const std::vector<Group>& lines) const {
  const auto fixed =
      std::ranges::find(fixed_, along_.front(), &decltype(fixed_)::value_type::first);
  std::vector<Group> pairs;
  for (const Group& line : lines)
    for (std::uint32_t from = 0; from < line.size(); ++from) {
      const std::int64_t to = std::int64_t{from} + shift_;
      if (to >= 0 && to < line.size() && (fixed == fixed_.end() || fixed->second == from))
        pairs.push_back({{line.ranks[from], line.ranks[static_cast<std::size_t>(to)]}});
    }
  return pairs;
}

TeamChoice::operator Team() const {
  return team_of(shift_ == 0 ? lines() : shifted(lines()));
}

}  // namespace stepcast
