#include "sim/engine/network/flow_classes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "models/base/mix.hpp"

// Only what starts is looked at: a class that ends takes as much from every link of a class, so
// what is left stays equitable, and links that are in use have colours that their flows gave them.
// A hundred nanoseconds a flow, where SimGrid takes two microseconds.

namespace stepcast {

void FlowClasses::find(std::span<const SharedFlow> flows, std::span<const std::uint64_t> colours,
                       bool fold) {
  meet_links(flows, colours);
  flow_colour_.clear();
  for (const SharedFlow& flow : flows)
    flow_colour_.push_back(mixed(flow.path.count, std::bit_cast<std::uint64_t>(flow.left.value)));
  if (!fold || !refine(flows))
    std::iota(flow_colour_.begin(), flow_colour_.end(), 0);
  sum_traffic(flows);
  gather();
}

void FlowClasses::meet_links(std::span<const SharedFlow> flows,
                             std::span<const std::uint64_t> colours) {
  for (const LinkId link : met_)
    is_met_[link] = 0;
  met_.clear();
  for (const SharedFlow& flow : flows)
    for (const LinkId link : flow.path)
      if (is_met_[link] == 0) {
        is_met_[link] = 1;
        met_.push_back(link);
        colour_[link] = colours[link];
      }
}

// Whether it came to an end. A straggler's mark goes on by one flow a round along a ring, which
// would take as many rounds as there are ranks.
bool FlowClasses::refine(std::span<const SharedFlow> flows) {
  constexpr int kRounds = 16;
  std::size_t classes = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < flows.size(); ++i)
      for (const LinkId link : flows[i].path)
        flow_colour_[i] = mixed(flow_colour_[i], colour_[link]);
    const std::size_t now = count_colours();
    if (now == classes || now == flows.size())
      return true;
    classes = now;
    sum_traffic(flows);
    for (const LinkId link : met_)
      colour_[link] = mixed(colour_[link], traffic_[link]);
  }
  return false;
}

void FlowClasses::sum_traffic(std::span<const SharedFlow> flows) {
  for (const LinkId link : met_)
    traffic_[link] = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::uint64_t part = mixed(1, flow_colour_[i]);
    for (const LinkId link : flows[i].path)
      traffic_[link] += part;
  }
}

std::size_t FlowClasses::count_colours() {
  if (std::ranges::adjacent_find(flow_colour_, std::not_equal_to<>()) == flow_colour_.end())
    return 1;
  sorted_ = flow_colour_;
  std::ranges::sort(sorted_);
  return static_cast<std::size_t>(std::unique(sorted_.begin(), sorted_.end()) - sorted_.begin());
}

void FlowClasses::gather() {
  const auto sort = [this] {
    std::ranges::sort(by_colour_, [](const Coloured& a, const Coloured& b) {
      return a.colour != b.colour ? a.colour < b.colour : a.flow < b.flow;
    });
  };
  by_colour_.clear();
  for (std::uint32_t i = 0; i < flow_colour_.size(); ++i)
    by_colour_.push_back({flow_colour_[i], i});
  sort();
  for (std::size_t first = 0, i = 0; i < by_colour_.size(); ++i) {
    if (by_colour_[i].colour != flow_colour_[by_colour_[first].flow])
      first = i;
    by_colour_[i].colour = by_colour_[first].flow;
  }
  sort();
  members_.clear();
  ends_.clear();
  for (const Coloured& it : by_colour_) {
    if (it.colour == it.flow)
      ends_.push_back(0);
    members_.push_back(it.flow);
    ends_.back() = static_cast<std::uint32_t>(members_.size());
  }
}

std::span<const std::uint32_t> FlowClasses::at(std::size_t id) const {
  const std::uint32_t begin = id == 0 ? 0 : ends_[id - 1];
  return std::span(members_).subspan(begin, ends_[id] - begin);
}

}  // namespace stepcast
