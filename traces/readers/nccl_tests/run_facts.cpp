#include "traces/readers/nccl_tests/run_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Kinds = std::vector<CollectiveKind>;

/// All-gather and all-to-all print the same columns.
Kinds kinds_by_columns(const RunRecord& run) {
  using enum CollectiveKind;
  if (run.has_root)
    return {run.has_redop ? Reduce : Broadcast};
  return run.has_redop ? Kinds{AllReduce, ReduceScatter} : Kinds{AllGather, AllToAll};
}

Kinds allowed(Kinds kinds, const RankRange& range, std::uint32_t ranks) {
  std::erase_if(kinds, [&](CollectiveKind kind) { return !range.allows(kind, ranks); });
  return kinds;
}

/// The one number of ranks at which each of the kinds prints such bandwidths.
std::optional<std::uint32_t> ranks_of(const Kinds& kinds, const RankRange& range) {
  const auto told = range.ranks_of(kinds.front());
  const bool all =
      std::ranges::all_of(kinds, [&](CollectiveKind kind) { return range.ranks_of(kind) == told; });
  return all ? told : std::nullopt;
}

void check_layout(const Kinds& kinds, const RankRange& range, const BenchmarkHints& hints,
                  const std::string& origin) {
  const std::uint32_t ranks = hints.nodes * hints.gpus_per_node;
  if (ranks > 0 && allowed(kinds, range, ranks).empty())
    throw InputError(
        fmt::format("{}: expected a layout whose number of ranks its bandwidths allow (bus "
                    "over algorithm bandwidth {}), found {}x{}",
                    origin, range.text(), hints.nodes, hints.gpus_per_node));
}

}  // namespace

LogFacts facts_of(const RunRecord& run, const BenchmarkHints& hints, const std::string& origin,
                  ImportReport& report) {
  const Kinds by_columns = run.named ? Kinds{*run.named} : kinds_by_columns(run);
  Kinds kinds = allowed(by_columns, run.range, 0);
  if (kinds.empty())
    throw InputError(fmt::format("{}: bus over algorithm bandwidth is {}, that of no {}", origin,
                                 run.range.text(), name_of(by_columns.front())));
  if (hints.kind && !run.named && std::ranges::count(kinds, *hints.kind) > 0)
    kinds = {*hints.kind};
  const std::uint32_t listed = run.ranks.count();
  std::optional<std::uint32_t> told;
  if (Kinds fitting = allowed(kinds, run.range, listed); listed > 0 && !fitting.empty())
    kinds = std::move(fitting);
  else if (told = ranks_of(kinds, run.range); listed > 0 && !told)
    throw InputError(
        fmt::format("{}: lists {} ranks, but its bus over algorithm bandwidth is {}, which is of "
                    "others; lines are missing",
                    origin, listed, run.range.text()));
  else if (!told)
    check_layout(kinds, run.range, hints, origin);
  LogFacts facts{.kind = run.named, .possible = kinds};
  if (!run.named && kinds.size() == 1)
    facts.kind = kinds.front();
  run.ranks.describe(facts, told, origin, report);
  return facts;
}

}  // namespace stepcast
