#include "sim/search/plan/fixed_layout.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;

constexpr std::array kParts{"tp", "pp", "cp", "ep", "micro_batch"};

const Transformer* transformer_of(const PlanSpace& space) {
  const auto& transformer = space.sites.front().workload.transformer;
  return transformer ? &transformer->shape : nullptr;
}

/// What the model alone asks of a part of the layout.
bool suits_model(const PlanSpace& space, const std::string& name, Count ways) {
  const Transformer* shape = transformer_of(space);
  if (shape == nullptr)
    return true;
  if (name == "tp")
    return shape->heads % ways == 0 && shape->ffn % ways == 0;
  if (name == "pp")
    return ways <= shape->layers;
  if (name == "cp")
    return shape->seq % ways == 0;
  return name != "ep" || shape->experts % ways == 0;
}

/// What some site alone asks of it: GPUs that it divides, or the batch of a step.
bool suits_a_site(const PlanSpace& space, const std::string& name, Count ways) {
  return std::ranges::any_of(space.sites, [&](const PlanSite& site) {
    return (name == "micro_batch" ? site.global_batch : site.cluster.ranks()) % ways == 0;
  });
}

bool is_inside_a_node(const PlanSpace& space, Count ways) {
  return std::ranges::any_of(space.sites, [&](const PlanSite& site) {
    return ways <= site.cluster.gpus_per_node && site.cluster.ranks() % ways == 0;
  });
}

std::string tensor_ways(const PlanSpace& space, const Transformer& shape) {
  std::vector<Count> ways;
  for (Count each = 1; each <= shape.heads; ++each)
    if (suits_model(space, "tp", each) && is_inside_a_node(space, each))
      ways.push_back(each);
  return fmt::format("one of {}, which divide the {} heads and the GPUs of a node",
                     fmt::join(ways, ", "), shape.heads);
}

std::string right_ones(const PlanSpace& space, const std::string& name) {
  const Transformer* shape = transformer_of(space);
  if (name == "micro_batch")
    return "a divisor of the samples of a step";
  if (shape == nullptr)
    return "a divisor of the GPUs";
  if (name == "tp")
    return tensor_ways(space, *shape);
  if (name == "pp")
    return fmt::format("a divisor of the GPUs, {} (the layers) at most", shape->layers);
  if (name == "cp")
    return fmt::format("a divisor of the GPUs and of the sequence's {} tokens", shape->seq);
  return shape->has_experts()
             ? fmt::format("a divisor of the GPUs and of the {} experts", shape->experts)
             : std::string("1, as the model has no experts");
}

void check(PlanSpace& space, const ListedOption& listed) {
  std::vector<std::string> impossible;
  for (const std::string& value : listed.values) {
    if (value == "auto")
      continue;
    const auto ways = static_cast<Count>(std::stoul(value));
    if (!suits_a_site(space, listed.name, ways) || !suits_model(space, listed.name, ways))
      impossible.push_back(fmt::format("{}={}", listed.name, value));
  }
  if (impossible.empty())
    return;
  const std::string lack =
      fmt::format("no layout has {}: expected {}", fmt::join(impossible, " or "),
                  right_ones(space, listed.name));
  if (impossible.size() == listed.values.size())
    throw InputError(fmt::format("`set` {}: {}", listed.name, lack));
  space.notes.push_back(fmt::format("Left out: {}.", lack));
}

bool cuts(const PlanSpace& space, const PlanCandidate& candidate) {
  return space.schedules[candidate.schedule].cuts;
}

/// Each can be had, but not together.
void require_layout(const PlanSpace& space, const std::vector<std::string>& fixed) {
  const bool any = std::ranges::any_of(
      space.candidates, [&](const PlanCandidate& candidate) { return cuts(space, candidate); });
  if (!fixed.empty() && !any && !space.candidates.empty())
    throw InputError(
        fmt::format("`set` {}: no layout has them together: expected tp x cp x pp to divide the "
                    "GPUs, and micro_batch x dp the samples of a step",
                    fmt::join(fixed, " ")));
}

}  // namespace

void check_fixed_layouts(PlanSpace& space) {
  if (std::ranges::none_of(space.schedules, &PlannedSchedule::cuts))
    return;
  std::vector<std::string> fixed;
  for (const ListedOption& listed : space.request.options) {
    if (std::ranges::find(kParts, listed.name) == kParts.end())
      continue;
    check(space, listed);
    fixed.push_back(fmt::format("{}={}", listed.name, fmt::join(listed.values, ",")));
  }
  require_layout(space, fixed);
}

}  // namespace stepcast
