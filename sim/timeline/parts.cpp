#include "sim/timeline/parts.hpp"

#include <algorithm>

namespace stepcast {
namespace {

/// For each phase of a plan the part that it belongs to; the number of parts where it is in none.
std::vector<std::size_t> part_of_phases(const PartsInfo& info, const Plan& plan) {
  std::vector<std::size_t> parts;
  for (const std::string& phase : plan.phases) {
    const auto has_phase = [&](const PartInfo& part) {
      return std::ranges::find(part.phases, phase) != part.phases.end();
    };
    const auto found = std::ranges::find_if(info.parts, has_phase);
    parts.push_back(static_cast<std::size_t>(found - info.parts.begin()));
  }
  return parts;
}

}  // namespace

std::vector<NamedTime> parts_of(const PartsInfo& info, const Plan& plan, const Window& window) {
  const std::vector<std::size_t> part_of = part_of_phases(info, plan);
  std::vector<NamedTime> parts;
  for (const PartInfo& part : info.parts)
    parts.push_back({part.name, {}});
  parts.push_back({kOtherPart, {}});
  for (const Segment& segment : window.segments) {
    const bool busy =
        segment.activity == Activity::Compute || segment.activity == Activity::OtherStream;
    NamedTime& part = busy ? parts[part_of[plan.graph.task(segment.task).phase]] : parts.back();
    part.time += segment.end - segment.begin;
  }
  return parts;
}

}  // namespace stepcast
