#include "models/schedule/model_parallel/parallel_layout.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;

void require_divisor(const OptionReader& read, const char* name, Count ways, const char* of_name,
                     Count of) {
  if (of % ways != 0)
    read.fail(name, fmt::format("expected a divisor of {} ({}), found {}", of_name, of, ways));
}

/// The option to blame for a layout that does not divide the GPUs: one that alone does not, or
/// the largest.
const char* culprit_of(const ParallelLayout& layout, std::uint64_t gpus) {
  const std::array<std::pair<const char*, Count>, 3> ways{
      {{"tp", layout.tensor}, {"cp", layout.context}, {"pp", layout.pipeline}}};
  const auto alone =
      std::ranges::find_if(ways, [&](const auto& way) { return gpus % way.second != 0; });
  if (alone != ways.end())
    return alone->first;
  return std::ranges::max_element(ways, {}, &std::pair<const char*, Count>::second)->first;
}

/// Copies that the user asks for beside what each of them takes.
void require_copies(const OptionReader& read, const ParallelLayout& layout, std::uint64_t gpus) {
  if (read.is("dp", "auto"))
    return;
  const std::uint64_t cut = std::uint64_t{layout.tensor} * layout.pipeline * layout.context;
  const Count data = read.count("dp");
  if (cut * data != gpus)
    read.fail("dp",
              fmt::format("expected tp x pp x cp x dp ({} x {} x {} x {} = {}) to be the {} "
                          "GPUs; leave dp out, and it follows from them",
                          layout.tensor, layout.pipeline, layout.context, data, cut * data, gpus));
}

void check_recorded(const OptionReader& read, const RecordedPipeline& pipeline,
                    const ParallelLayout& layout) {
  const auto check = [&](const char* name, Count recorded, Count asked) {
    if (asked != recorded)
      read.fail(name, fmt::format("expected {}, as the job was recorded: what it takes otherwise "
                                  "is not known, found {}",
                                  recorded, asked));
  };
  check("tp", pipeline.tensor, layout.tensor);
  check("cp", pipeline.context, layout.context);
  check("ep", 1, layout.expert);
}

void check_model(const OptionReader& read, const Workload& model, const ParallelLayout& layout) {
  if (model.pipeline)
    return check_recorded(read, *model.pipeline, layout);
  if (!model.transformer) {
    for (const char* name : {"tp", "cp", "ep"})
      if (!read.is(name, "1"))
        read.fail(name,
                  "expected 1: only transformers are cut inside a layer (--workload "
                  "transformer:..)");
    return;
  }
  const Transformer& shape = model.transformer->shape;
  require_divisor(read, "tp", layout.tensor, "heads", shape.heads);
  require_divisor(read, "tp", layout.tensor, "ffn", shape.ffn);
  require_divisor(read, "cp", layout.context, "seq", shape.seq);
  if (read.is("context_parallel", "ulysses"))
    require_divisor(read, "cp", layout.context, "heads of a rank", shape.heads / layout.tensor);
  require_divisor(read, "ep", layout.expert, "experts", shape.experts);
}

void cut_experts(const OptionReader& read, const Workload& model, ParallelLayout& layout) {
  if (!read.is("etp", "auto"))
    layout.expert_tensor = read.count("etp");
  if (layout.ranks_of_an_expert() != layout.tensor &&
      !(model.transformer && model.transformer->shape.has_experts()))
    read.fail("etp", "expected auto: the model has no experts");
  const Count each = layout.ranks_of_an_expert();
  if (each != 1 && each != layout.tensor)
    read.fail("etp", fmt::format("expected 1, tp ({}) or auto, found {}", layout.tensor, each));
  if (each != layout.tensor && !read.is("sequence_parallel", "yes"))
    read.fail("etp", fmt::format("expected sequence_parallel=yes beside it, so that each of the {} "
                                 "ranks of tp has tokens of its own",
                                 layout.tensor));
  const Count ways = layout.stage_ranks() / each;
  if (ways % layout.expert != 0)
    read.fail(
        "ep",
        fmt::format("expected a divisor of {} ({}), found {}{}",
                    each == layout.tensor ? "dp x cp" : "tp x cp x dp / etp", ways, layout.expert,
                    layout.stage_ranks() % layout.expert == 0 && each > 1
                        ? "; etp=1 leaves experts whole, so that ep divides tp x cp x dp"
                        : ""));
}

// Groups of a stage's ranks, each written as (data, context, tensor) counts.
template <class Fill>
Team team_with(Count groups, Fill fill) {
  Team team;
  team.groups.resize(groups);
  fill(team.groups);
  return team;
}

}  // namespace

std::string describe(const ParallelLayout& layout) {
  std::string text = fmt::format("tp={},pp={}", layout.tensor, layout.pipeline);
  if (layout.context > 1)
    text += fmt::format(",cp={}", layout.context);
  if (layout.expert > 1)
    text += fmt::format(",ep={}", layout.expert);
  if (layout.ranks_of_an_expert() != layout.tensor)
    text += fmt::format(",etp={}", layout.ranks_of_an_expert());
  return text + fmt::format(",dp={}", layout.data);
}

ParallelLayout layout_of(const OptionReader& read, const Workload& model, const Cluster& cluster) {
  ParallelLayout layout{.tensor = read.count("tp"),
                        .context = read.count("cp"),
                        .expert = read.count("ep"),
                        .pipeline = read.count("pp")};
  const std::uint64_t cut = std::uint64_t{layout.tensor} * layout.context * layout.pipeline;
  require_copies(read, layout, cluster.ranks());
  if (cluster.ranks() % cut != 0)
    read.fail(culprit_of(layout, cluster.ranks()),
              fmt::format("expected tp x cp x pp ({} x {} x {} = {}) to divide the {} GPUs",
                          layout.tensor, layout.context, layout.pipeline, cut, cluster.ranks()));
  layout.data = static_cast<Count>(cluster.ranks() / cut);
  check_model(read, model, layout);
  cut_experts(read, model, layout);
  return layout;
}

Team tensor_team(const ParallelLayout& layout, std::uint32_t stage) {
  return team_with(layout.data * layout.context, [&](std::vector<Group>& groups) {
    for (Count d = 0; d < layout.data; ++d)
      for (Count c = 0; c < layout.context; ++c)
        for (Count t = 0; t < layout.tensor; ++t)
          groups[d * layout.context + c].ranks.push_back(layout.rank(stage, d, c, t));
  });
}

Team context_team(const ParallelLayout& layout, std::uint32_t stage) {
  return team_with(layout.data * layout.tensor, [&](std::vector<Group>& groups) {
    for (Count d = 0; d < layout.data; ++d)
      for (Count c = 0; c < layout.context; ++c)
        for (Count t = 0; t < layout.tensor; ++t)
          groups[d * layout.tensor + t].ranks.push_back(layout.rank(stage, d, c, t));
  });
}

Team copies_team(const ParallelLayout& layout, std::uint32_t stage) {
  return team_with(layout.tensor, [&](std::vector<Group>& groups) {
    for (Count d = 0; d < layout.data; ++d)
      for (Count c = 0; c < layout.context; ++c)
        for (Count t = 0; t < layout.tensor; ++t)
          groups[t].ranks.push_back(layout.rank(stage, d, c, t));
  });
}

Team together(Team one, const Team& other) {
  for (std::size_t group = 0; group < one.groups.size(); ++group)
    for (const Rank rank : other.groups[group].ranks)
      one.groups[group].ranks.push_back(rank);
  return one;
}

Team expert_team(const ParallelLayout& layout, std::uint32_t stage) {
  const Count each = layout.ranks_of_an_expert();
  return team_with(each * layout.expert_copies(), [&](std::vector<Group>& groups) {
    for (Count i = 0; i < layout.stage_ranks(); ++i)
      groups[i / each / layout.expert * each + i % each].ranks.push_back(
          stage * layout.stage_ranks() + i);
  });
}

Team expert_copies_team(const ParallelLayout& layout, std::uint32_t stage) {
  const Count each = layout.ranks_of_an_expert();
  return team_with(each * layout.expert, [&](std::vector<Group>& groups) {
    for (Count i = 0; i < layout.stage_ranks(); ++i)
      groups[i / each % layout.expert * each + i % each].ranks.push_back(
          stage * layout.stage_ranks() + i);
  });
}

Team shard_team(const Team& copies, std::uint32_t size) {
  Team team;
  for (const Group& group : copies.groups)
    for (auto first = group.ranks.begin(); first != group.ranks.end(); first += size)
      team.groups.push_back({{first, first + size}});
  return team;
}

Team replica_team(const Team& copies, std::uint32_t size) {
  Team team;
  for (const Group& group : copies.groups)
    for (Count share = 0; share < size; ++share) {
      Group& replicas = team.groups.emplace_back();
      for (std::size_t each = share; each < group.ranks.size(); each += size)
        replicas.ranks.push_back(group.ranks[each]);
    }
  return team;
}

Team stage_pairs(const ParallelLayout& layout, std::uint32_t from, std::uint32_t to) {
  return team_with(layout.stage_ranks(), [&](std::vector<Group>& groups) {
    for (Count i = 0; i < layout.stage_ranks(); ++i)
      groups[i].ranks = {from * layout.stage_ranks() + i, to * layout.stage_ranks() + i};
  });
}

Notes layout_notes(const ParallelLayout& layout, const Cluster& cluster) {
  Notes notes;
  if (layout.tensor > cluster.gpus_per_node || cluster.gpus_per_node % layout.tensor != 0)
    notes.push_back(
        {NoteKind::Option, "tp",
         fmt::format("Tensor groups of {} cross nodes of {} GPUs: every block waits for the "
                     "network between nodes.",
                     layout.tensor, cluster.gpus_per_node)});
  return notes;
}

}  // namespace stepcast
