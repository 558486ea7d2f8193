#include "sim/study/validate/collective_range.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/collective/curve_errors.hpp"
#include "sim/forecast/error_bound.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

using namespace literals;

constexpr std::size_t kEnough = 5;

using CollectiveErrors = std::vector<CollectiveError>;

enum class SizeClass : std::uint8_t { Small, Medium, Large };

SizeClass class_of(Bytes size) {
  return size < 64.0_KiB   ? SizeClass::Small
         : size <= 1.0_MiB ? SizeClass::Medium
                           : SizeClass::Large;
}

const char* words_of(SizeClass size) {
  switch (size) {
    case SizeClass::Small:
      return "below 64 KiB";
    case SizeClass::Medium:
      return "of 64 KiB to 1 MiB";
    case SizeClass::Large:
      return "above 1 MiB";
  }
  return "";
}

CollectiveErrors errors_of_curves(const MeasuredCollectives& measured) {
  CollectiveErrors errors;
  for (const PointError& point : leave_one_rank_count_out(measured))
    if (point.measured.use == PointUse::Kept)
      errors.push_back({point.kind, point.ranks, point.measured.size, point.error()});
  return errors;
}

/// The form that stands for what the curve's library runs.
Algorithm algorithm_of(const MeasuredCollectives& measured, CollectiveKind kind) {
  return measured.nccl && kind == CollectiveKind::AllReduce ? Algorithm::Nccl
                                                            : default_algorithm(kind);
}

/// Of the closed forms on a cluster whose collectives were measured.
CollectiveErrors errors_of_closed_forms(const Cluster& cluster) {
  CollectiveErrors errors;
  for (const CollectiveCurve& curve : cluster.measured->curves) {
    Cluster part = cluster;
    part.measured.reset();
    part.nodes = curve.nodes;
    part.gpus_per_node = curve.ranks / curve.nodes;
    const Group all = world_of(part);
    for (const CurvePoint& point : curve.points) {
      if (point.use != PointUse::Kept)
        continue;
      const Collective collective{.kind = curve.kind,
                                  .algorithm = algorithm_of(*cluster.measured, curve.kind),
                                  .size = point.size};
      const Seconds told = cost_of(collective, all, part) + launch_of(collective, all, part);
      errors.push_back({curve.kind, curve.ranks, point.size, told / point.time - 1});
    }
  }
  return errors;
}

/// Of all shipped clusters whose collectives were measured; read once.
const std::vector<std::pair<Cluster, CollectiveErrors>>& shipped_closed_forms() {
  static const auto all = [] {
    std::vector<std::pair<Cluster, CollectiveErrors>> found;
    for (const std::string& name : list_names(CatalogKind::Cluster)) {
      Cluster cluster = load_cluster(name);
      if (!cluster.measured || cluster.measured->fits.empty())
        continue;
      CollectiveErrors errors = errors_of_closed_forms(cluster);
      found.emplace_back(std::move(cluster), std::move(errors));
    }
    return found;
  }();
  return all;
}

bool has_links_of(const Cluster& cluster, const Cluster& other) {
  return cluster.device.name == other.device.name &&
         cluster.intra_node.bandwidth == other.intra_node.bandwidth &&
         node_link(cluster).bandwidth == node_link(other).bandwidth &&
         cluster.nic.startup == other.nic.startup;
}

ErrorSource source_of_closed_forms(const Cluster& cluster) {
  ErrorSource source{.errors = {}, .of = "", .other_machine = true};
  for (const auto& [described, errors] : shipped_closed_forms()) {
    source.errors.insert(source.errors.end(), errors.begin(), errors.end());
    source.of += fmt::format("{}{}", source.of.empty() ? "closed forms on " : ", ", described.name);
    if (has_links_of(cluster, described))
      source.other_machine = false;
  }
  return source;
}

ErrorSource source_of_curves(const MeasuredCollectives& measured) {
  ErrorSource own{.errors = errors_of_curves(measured),
                  .of = "rank counts left out of " + measured.name};
  if (!own.errors.empty())
    return own;
  for (const auto& [described, errors] : shipped_closed_forms())
    if (CollectiveErrors others = errors_of_curves(*described.measured); !others.empty())
      return {.errors = std::move(others),
              .of = "rank counts left out of " + described.measured->name,
              .other_machine = true};
  return own;
}

/// Those that are most like the run, and how they are called.
struct Alike {
  CollectiveErrors errors;
  std::string of;
};

Alike alike(const CollectiveErrors& all, const CollectiveRun& run) {
  const SizeClass size = class_of(run.collective.size);
  const auto taken = [&](const std::function<bool(const CollectiveError&)>& takes) {
    CollectiveErrors errors;
    std::ranges::copy_if(all, std::back_inserter(errors), takes);
    return errors;
  };
  const auto is_near = [size](const CollectiveError& each) { return class_of(each.size) == size; };
  Alike found{taken([&](const CollectiveError& each) {
                return is_near(each) && each.kind == run.collective.kind;
              }),
              fmt::format("{}s {}", name_of(run.collective.kind), words_of(size))};
  if (found.errors.size() < kEnough)
    found = {taken(is_near), fmt::format("collectives of all kinds {}", words_of(size))};
  if (found.errors.size() < kEnough)
    found = {all, "collectives of all kinds and sizes"};
  return found;
}

}  // namespace

const ErrorSource& CollectiveRanges::source_of(const CollectiveRun& run) {
  if (run.basis == "closed form") {
    if (!closed_forms_)
      closed_forms_ = source_of_closed_forms(cluster_);
    return *closed_forms_;
  }
  if (!curves_)
    curves_ = source_of_curves(*cluster_.measured);
  return *curves_;
}

LikelyStep CollectiveRanges::of(const CollectiveRun& run) {
  const ErrorSource& source = source_of(run);
  if (source.errors.empty() || run.time <= Seconds{})
    return {};
  const Alike found = alike(source.errors, run);
  // Told times may be several times too long or too short: their logarithms are alike both ways.
  std::vector<double> logarithms;
  std::uint32_t most = 0;
  for (const CollectiveError& each : found.errors) {
    logarithms.push_back(std::log1p(each.error));
    most = std::max(most, each.ranks);
  }
  double width = error_bound(std::move(logarithms)) * (source.other_machine ? kOtherDevices : 1);
  if (run.ranks > most)
    width *= std::pow(kDoubling, std::log2(static_cast<double>(run.ranks) / most));
  const double factor = std::exp(width);
  std::string basis =
      fmt::format("the errors of {} measured {} ({})", found.errors.size(), found.of, source.of);
  if (source.other_machine)
    basis += ", wider as none of them is of this machine";
  if (run.ranks > most)
    basis += fmt::format(", wider as {} GPUs are more than {}", run.ranks, most);
  return likely_step({.low = 1 / factor,
                      .high = factor,
                      .basis = fmt::format("{}: a factor of {:.2f}", basis, factor)},
                     run.time);
}

}  // namespace stepcast
