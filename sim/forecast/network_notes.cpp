#include "sim/forecast/network_notes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/text.hpp"
#include "models/collective/measured_curve.hpp"
#include "models/collective/nccl/tuner.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

/// Kinds of collectives by what happened to them; a set, so that a note comes once.
struct Uses {
  /// By the ranks that were measured, in words, and those that are used.
  std::map<std::pair<std::string, std::uint32_t>, std::set<CollectiveKind>> beyond_ranks;
  std::set<CollectiveKind> beyond_sizes;
  std::set<CollectiveKind> halves;
  std::set<CollectiveKind> closed_forms;
};

std::string measured_ranks(const CurveEstimate& beyond) {
  return beyond.fewest_ranks == beyond.most_ranks
             ? fmt::format("{}", beyond.most_ranks)
             : fmt::format("{} to {}", beyond.fewest_ranks, beyond.most_ranks);
}

void count(Uses& uses, const Collective& collective, const Group& group, const Cluster& cluster) {
  if (group.size() < 2 || !(collective.size > Bytes{}))
    return;
  const auto estimate = find_measured_time(collective, group, cluster);
  if (!estimate) {
    uses.closed_forms.insert(collective.kind);
    return;
  }
  if (estimate->beyond_ranks)
    uses.beyond_ranks[{measured_ranks(*estimate), group.size()}].insert(collective.kind);
  if (estimate->beyond_sizes)
    uses.beyond_sizes.insert(collective.kind);
  if (estimate->half_all_reduce)
    uses.halves.insert(collective.kind);
}

/// What a stream that fuses may send at most in one piece.
Bytes largest_piece(const Stream& stream, Bytes total) {
  const auto* negotiated = std::get_if<Negotiated>(&stream.rule);
  return negotiated ? std::min(total, negotiated->fusion) : Bytes{};
}

Uses uses_of(const Plan& plan, const Cluster& cluster) {
  Uses uses;
  std::map<StreamId, Bytes> totals;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind != TaskKind::Communication)
      continue;
    Collective collective = plan.collectives[task.collective].collective;
    const bool fuses = std::holds_alternative<Negotiated>(plan.streams[task.stream].rule);
    Bytes& total = totals[task.stream];
    total += collective.size;
    if (fuses)
      collective.size = largest_piece(plan.streams[task.stream], total);
    count(uses, collective, plan.teams[task.team].groups.front(), cluster);
  }
  return uses;
}

std::string names_of(const std::set<CollectiveKind>& kinds) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : kinds)
    names.emplace_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ", "));
}

Notes notes_on(const Uses& uses, const MeasuredCollectives& measured) {
  Notes notes;
  const auto add = [&](std::string text) {
    notes.push_back({NoteKind::Cluster, "collectives", std::move(text)});
  };
  for (const auto& [ranks, kinds] : uses.beyond_ranks)
    add(fmt::format(
        "Extrapolated: {} on {} GPUs, measured on {} ({}); continued along the rounds of the ring "
        "or the levels of the tree.",
        names_of(kinds), ranks.second, ranks.first, measured.name));
  if (!uses.beyond_sizes.empty())
    add(fmt::format("Extrapolated: {} of sizes that were not measured ({}).",
                    names_of(uses.beyond_sizes), measured.name));
  if (!uses.halves.empty())
    add(fmt::format("Not measured: {} ({}); taken as half of a measured all-reduce.",
                    names_of(uses.halves), measured.name));
  if (!uses.closed_forms.empty())
    add(fmt::format(
        "Not measured: {} as used here ({}); closed forms over the cluster's links instead.",
        names_of(uses.closed_forms), measured.name));
  return notes;
}

}  // namespace

Notes curve_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  if (!cluster.measured)
    return {};
  if (cluster.measured->fits.empty())
    return {{NoteKind::Cluster, "collectives",
             fmt::format("Links differ from those benchmarked: closed forms replace {}.",
                         cluster.measured->name)}};
  if (fidelity == Fidelity::Step)
    return {{NoteKind::Fidelity, "collectives",
             "Step fidelity replays messages over the links and ignores measured curves."}};
  return notes_on(uses_of(plan, cluster), *cluster.measured);
}

std::optional<Note> note_on_costs(const Cluster& cluster) {
  // A rate that is not given costs nothing either.
  std::vector<std::string> costs;
  std::vector<std::string> rates;
  for (const std::string& path : cluster.costs_not_given)
    (cluster_field(path).is_rate() ? rates : costs).push_back(path);
  std::stable_partition(costs.begin(), costs.end(), [](const std::string& path) {
    return cluster_field(path).section() == "software";
  });
  if (costs.empty() && rates.empty())
    return std::nullopt;
  return Note{NoteKind::Cluster, "costs",
              fmt::format("Costs of the cluster not given, taken as {}{}{}{}{}.",
                          costs.empty() ? "" : "0: ", fmt::join(costs, ", "),
                          costs.empty() || rates.empty() ? "" : "; as free: ",
                          costs.empty() ? "free: " : "", fmt::join(rates, ", "))};
}

std::optional<Note> note_on_tuner(const Cluster& cluster, Fidelity fidelity) {
  const bool by_curves =
      cluster.measured && !cluster.measured->fits.empty() && fidelity != Fidelity::Step;
  const Seconds expected = nccl::longest_network_step();
  if (cluster.nodes < 2 || by_curves || cluster.nic.startup <= expected)
    return std::nullopt;
  return Note{NoteKind::Cluster, "nccl",
              fmt::format("nccl takes a ring or a tree as NCCL 2.8.3 does: by constants for Volta "
                          "GPUs, whose rings start up in at most {} a step between nodes. Here it "
                          "is {} (nic.startup), so that what it does not take may be faster.",
                          format_seconds(expected), format_seconds(cluster.nic.startup))};
}

Notes caveats_of(const Cluster& cluster) {
  Notes caveats;
  for (const std::string& caveat : cluster.provenance.caveats)
    caveats.push_back({NoteKind::Cluster, "caveat", "Caveat of the cluster: " + caveat});
  if (std::optional<Note> note = note_on_costs(cluster))
    caveats.push_back(std::move(*note));
  return caveats;
}

Notes size_notes(const Cluster& described, const Cluster& used) {
  const bool larger = used.nodes > described.nodes || used.gpus_per_node > described.gpus_per_node;
  if (!larger || described.provenance.kind == ProvenanceKind::Assumed)
    return {};
  return {{NoteKind::Cluster, "size",
           fmt::format("Resized beyond what was measured: {} x {} GPUs with the figures of {}, "
                       "which are those of {} x {}.",
                       used.nodes, used.gpus_per_node, described.name, described.nodes,
                       described.gpus_per_node)}};
}

Notes overload_notes(std::span<const LinkLoad> links, const Cluster& cluster, Fidelity fidelity) {
  constexpr double kRounding = 1e-6;
  const auto over = std::ranges::find_if(
      links, [](const LinkLoad& link) { return link.utilisation > 1 + kRounding; });
  if (over == links.end())
    return {};
  std::string reason =
      "this fidelity replays the messages between nodes and leaves out those inside a node that "
      "run beside them; step replays every message";
  if (fidelity == Fidelity::Step)
    reason = "a GPU's port is counted as the average of its group, which sends unevenly here";
  else if (cluster.measured && !cluster.measured->fits.empty())
    reason = fmt::format(
        "the measured collectives ({}) are faster than the cluster's links; step replays the links",
        cluster.measured->name);
  return {{NoteKind::Fidelity, over->name,
           fmt::format("Utilisation above 100 % ({}: {:.0f} %): {}.", over->name,
                       100 * over->utilisation, reason)}};
}

Notes network_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  Notes notes = caveats_of(cluster);
  std::ranges::move(curve_notes(plan, cluster, fidelity), std::back_inserter(notes));
  if (const double scale = jitter_scale(cluster); scale > 1)
    notes.push_back(
        {NoteKind::Cluster, "jitter",
         fmt::format(
             "Compute includes {:.1f} % of waiting for the slowest of {} ranks (software.jitter).",
             100 * (scale - 1), cluster.ranks())});
  const bool uses_nccl = std::ranges::any_of(plan.collectives, [](const auto& planned) {
    return planned.collective.algorithm == Algorithm::Nccl;
  });
  if (std::optional<Note> note = uses_nccl ? note_on_tuner(cluster, fidelity) : std::nullopt)
    notes.push_back(std::move(*note));
  return notes;
}

}  // namespace stepcast
