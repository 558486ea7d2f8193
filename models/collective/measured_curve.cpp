#include "models/collective/measured_curve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/collective/algorithms.hpp"
#include "models/collective/curve_law.hpp"
#include "models/collective/curves/possible_time.hpp"
#include "models/collective/curves/trees.hpp"
#include "models/collective/group_shape.hpp"

namespace stepcast {
namespace {

using Sections = std::vector<CurveSection>;

/// The curves of one kind that are alike but for the rank count, and what was asked of them.
class CurveFamily {
 public:
  CurveFamily(const MeasuredCollectives& measured, const CurveFit& fit, std::uint32_t ranks)
      : fit_(fit), ranks_(ranks), trees_(fit, measured.nccl, ranks) {
    for (const CollectiveCurve& curve : measured.curves)
      if (curve.kind == fit.kind && scope_of(curve.ranks, curve.nodes) == fit.ranks_per_node)
        curves_.push_back(&curve);
  }

  CurveEstimate at(Bytes size) const {
    return settled(by_library(size), size, [this](Bytes at) { return by_library(at).time; });
  }

  /// By the ring alone, whatever the size.
  CurveEstimate ring_at(Bytes size) const {
    return settled(by_ring(size), size, [this](Bytes at) { return by_ring(at).time; });
  }

 private:
  CurveEstimate settled(CurveEstimate estimate, Bytes size,
                        const std::function<Seconds(Bytes)>& law) const {
    if (fit_.fastest > BytesPerSecond{})  // Else in the middle of a fit.
      estimate.time = possible_time({fit_, ranks_, curves_}, size, law);
    return estimate;
  }

  /// As the library would choose, by what the curves say of this size alone.
  CurveEstimate by_library(Bytes size) const {
    if (const std::optional<Seconds> time = find_direct(size))
      return {.time = *time};
    CurveEstimate estimate = size < trees_.below() ? by_tree(size) : by_ring(size);
    const bool may_reach_on = estimate.beyond_ranks && !trees_.is_tuned();
    if (may_reach_on && size >= fit_.tree_below && size < furthest_tree())
      estimate.time = std::min(estimate.time, by_tree(size).time);
    return estimate;
  }

  /// At no size and time yet.
  CurveEstimate nowhere() const {
    const auto [fewest, most] = std::ranges::minmax(curves_, {}, &CollectiveCurve::ranks);
    if (ranks_ >= fewest->ranks && ranks_ <= most->ranks)
      return {};
    return {.beyond_ranks = true, .fewest_ranks = fewest->ranks, .most_ranks = most->ranks};
  }

  CurveEstimate by_ring(Bytes size) const {
    CurveEstimate estimate = nowhere();
    Sections sections = sections_of(fit_.tree_below, Bytes{});
    if (sections.empty())
      sections = sections_of(Bytes{}, Bytes{});
    const Bytes chunk = size / ranks_;
    const Bytes covered = nearest_covered(sections, chunk);
    estimate.beyond_sizes = covered != chunk;
    estimate.time = law_at_chunk(sections, std::max(chunk, covered));
    return estimate;
  }

  std::optional<Seconds> find_direct(Bytes size) const {
    for (const CollectiveCurve* curve : curves_)
      if (curve->ranks == ranks_)
        return CurveSection{curve}.find_time(size);
    return std::nullopt;
  }

  /// The start-up of a ring grows with the ranks, the transfer of a tree with the size: so the size
  /// at which one gives way to the other grows at most with the ranks.
  Bytes furthest_tree() const {
    const auto* most = *std::ranges::max_element(curves_, {}, &CollectiveCurve::ranks);
    return fit_.tree_below * (static_cast<double>(ranks_) / most->ranks);
  }

  /// Beyond the largest size that went through a tree, its last slope continues.
  CurveEstimate by_tree(Bytes size) const {
    const Sections sections = tree_sections();
    Bytes least = fit_.tree_below;
    Bytes most{};
    for (const CurveSection& section : sections) {
      least = std::min(least, section.first()->size);
      most = std::max(most, section.last()->size);
    }
    if (sections.empty())
      return by_ring(size);
    CurveEstimate estimate = nowhere();
    estimate.beyond_sizes = size < least;
    estimate.time = law_at_size(sections, std::clamp(size, least, most));
    if (size > most)
      estimate.time +=
          (estimate.time - law_at_size(sections, most / 2)) * ((size - most) / (most / 2));
    return estimate;
  }

  Sections sections_of(Bytes from, Bytes below) const {
    Sections sections;
    for (const CollectiveCurve* curve : curves_)
      if (const CurveSection section{curve, from, below}; section.first())
        sections.push_back(section);
    return sections;
  }

  /// What went through trees, of the curves that take any.
  Sections tree_sections() const {
    Sections sections = sections_of({}, fit_.tree_below);
    const auto takes_none = [&](const CurveSection& section) {
      return !trees_.may_be_taken_by(section.curve->ranks);
    };
    if (!std::ranges::all_of(sections, takes_none))
      std::erase_if(sections, takes_none);
    return sections;
  }

  /// The chunk itself if some curve covers it, else the nearest that one does.
  static Bytes nearest_covered(const Sections& sections, Bytes chunk) {
    std::vector<Bytes> nearest;
    for (const CurveSection& section : sections)
      nearest.push_back(std::clamp(chunk, section.first()->size / section.curve->ranks,
                                   section.last()->size / section.curve->ranks));
    return *std::ranges::min_element(
        nearest, {}, [&](Bytes candidate) { return std::abs(std::log(candidate / chunk)); });
  }

  /// From the curves that reach down to the chunk. Where one ends, its time goes on at the fitted
  /// bandwidth: what part of the time is fixed must not depend on where a log ended.
  Seconds law_at_chunk(const Sections& sections, Bytes chunk) const {
    std::vector<LawSample> samples;
    for (const CurveSection& section : sections) {
      const std::uint32_t ranks = section.curve->ranks;
      const Bytes last = section.last()->size;
      if (const auto time = section.find_time(std::min(chunk * ranks, last)))
        samples.push_back({rounds(ranks), *time + std::max(Bytes{}, chunk - last / ranks) /
                                                      ring_bandwidth(fit_) * rounds(ranks)});
    }
    return time_by_law(std::move(samples), rounds(ranks_));
  }

  Seconds law_at_size(const Sections& sections, Bytes size) const {
    std::vector<LawSample> samples;
    for (const CurveSection& section : sections) {
      const auto first = *section.first();
      const auto last = *section.last();
      samples.push_back({trees_.steps(section.curve->ranks),
                         *section.find_time(std::clamp(size, first.size, last.size))});
    }
    return time_by_law(std::move(samples), trees_.steps(ranks_));
  }

  double rounds(std::uint32_t ranks) const { return ring_rounds(fit_.kind, ranks); }

  const CurveFit& fit_;
  std::uint32_t ranks_;
  Trees trees_;
  std::vector<const CollectiveCurve*> curves_;
};

bool is_half_of_all_reduce(CollectiveKind kind) {
  return kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllGather;
}

/// Nodes of a group that has equally many ranks on each.
std::optional<std::uint32_t> find_even_nodes(const Group& group, const Cluster& cluster) {
  if (const std::optional<Blocks> blocks = find_blocks(group, cluster))
    return blocks->ranks / blocks->per_node;
  const std::vector<std::vector<Rank>> nodes = by_node(group, cluster);
  const bool even = std::ranges::all_of(
      nodes, [&](const auto& members) { return members.size() == nodes.front().size(); });
  return even ? std::optional(static_cast<std::uint32_t>(nodes.size())) : std::nullopt;
}

}  // namespace

std::uint32_t scope_of(std::uint32_t ranks, std::uint32_t nodes) {
  return nodes == 1 ? 0 : ranks / nodes;
}

const CurveFit* find_fit(const MeasuredCollectives& measured, CollectiveKind kind,
                         std::uint32_t scope) {
  const auto found = std::ranges::find_if(measured.fits, [&](const CurveFit& fit) {
    return fit.kind == kind && fit.ranks_per_node == scope;
  });
  return found == measured.fits.end() ? nullptr : &*found;
}

double ring_rounds(CollectiveKind kind, std::uint32_t ranks) {
  return ring::round_count(kind, ranks);
}

Seconds alpha_beta_time(const CurveFit& fit, std::uint32_t ranks, Bytes size) {
  return (fit.startup + size / ranks / fit.bandwidth) * ring_rounds(fit.kind, ranks);
}

std::optional<CurveEstimate> find_time(const MeasuredCollectives& measured, CollectiveKind kind,
                                       std::uint32_t ranks, std::uint32_t nodes, Bytes size) {
  const std::uint32_t scope = scope_of(ranks, nodes);
  if (const CurveFit* fit = find_fit(measured, kind, scope))
    return CurveFamily(measured, *fit, ranks).at(size);
  const CurveFit* whole = find_fit(measured, CollectiveKind::AllReduce, scope);
  if (!whole || !is_half_of_all_reduce(kind))
    return std::nullopt;
  CurveEstimate half = CurveFamily(measured, *whole, ranks).ring_at(size);
  half.time = half.time / 2;
  half.half_all_reduce = true;
  return half;
}

std::optional<CurveEstimate> find_measured_time(const Collective& collective, const Group& group,
                                                const Cluster& cluster) {
  if (!cluster.measured || collective.algorithm != default_algorithm(collective.kind) ||
      collective.kind == CollectiveKind::Send || !collective.shares.empty() || group.size() < 2)
    return std::nullopt;
  const std::optional<std::uint32_t> nodes = find_even_nodes(group, cluster);
  return nodes
             ? find_time(*cluster.measured, collective.kind, group.size(), *nodes, collective.size)
             : std::nullopt;
}

std::vector<Phase> scaled_to(std::vector<Phase> phases, Seconds closed_form, Seconds time) {
  Seconds startup{};
  for (const Phase& phase : phases)
    startup += phase.startup;
  const Seconds transfer = closed_form - startup;
  if (phases.empty() || !(transfer > Seconds{}))
    return phases;
  const double share = std::min(1.0, time / transfer);
  for (Phase& phase : phases) {
    phase.startup = {};
    for (Message& message : phase.messages)
      message.size = message.size * share;
  }
  phases.front().startup = time - transfer * share;
  return phases;
}

}  // namespace stepcast
