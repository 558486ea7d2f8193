#include "traces/derived_cluster.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

/// Sets what was given and keeps in mind what that was.
class Change {
 public:
  explicit Change(Cluster& cluster) : cluster_(cluster) {}

  template <class Value>
  void set(const char* path, Value& member, const std::optional<Value>& value) {
    if (!value)
      return;
    changed_ |= member != *value;
    member = *value;
    given_.insert(path);
    std::erase(cluster_.costs_not_given, path);
  }

  /// Forgets a field that is of another device, unless nobody knew it.
  template <class Value>
  void forget(const std::string& path, Value& member) {
    if (given_.contains(path) || std::ranges::count(cluster_.costs_not_given, path) > 0)
      return;
    member = {};
    if (cluster_field(path).is_cost && std::ranges::count(cluster_.costs_not_given, path) == 0)
      cluster_.costs_not_given.emplace_back(path);
    unknown_.insert(path);
  }

  bool is_given(const std::string& path) const { return given_.contains(path); }
  bool is_unknown(const std::string& path) const { return unknown_.contains(path); }
  bool changed() const { return changed_; }

 private:
  Cluster& cluster_;
  std::set<std::string> given_;
  std::set<std::string> unknown_;
  bool changed_ = false;
};

std::string default_name(const Cluster& cluster, const ClusterChange& change) {
  std::string name =
      fmt::format("{}-{}x{}", cluster.device.name, cluster.nodes, cluster.gpus_per_node);
  if (change.nic_bandwidth)
    name += fmt::format("-{}x{:.4g}gbps", cluster.nics, cluster.nic.bandwidth.value * 8e-9);
  return name;
}

/// What the provenance of a cluster says of a field: by its path, or of its whole section.
std::string origin_of(const Provenance& provenance, const ClusterField& field) {
  for (const std::string& note : provenance.notes) {
    const std::size_t colon = note.find(": ");
    if (colon == std::string::npos)
      continue;
    const std::string about = ", " + note.substr(0, colon) + ",";
    for (const std::string_view name : {std::string_view(field.path), field.section()})
      if (!name.empty() && about.find(fmt::format(", {},", name)) != std::string::npos)
        return note.substr(colon + 2);
  }
  return "";
}

/// A cost that is passed on says where the other cluster has it from, which may be a third one.
std::string passed_on(const Cluster& from, const std::string& path, const std::string& value) {
  std::string text = fmt::format("{}: assumed: {} as in {}", path, value, from.name);
  const ClusterField& field = cluster_field(path);
  if (const std::string origin = origin_of(from.provenance, field);
      field.is_cost && !origin.empty())
    text += fmt::format(", which says of it: {}", origin);
  return text;
}

std::string note_on(const Cluster& cluster, const std::string& path, const Change& change,
                    const Cluster& from) {
  const std::string value = field_text(cluster, path);
  if (path == "nic.bandwidth" && change.is_given(path))
    return fmt::format("{}: assumed: {} as given; what a data sheet names is more than a job gets",
                       path, value);
  if (change.is_given(path))
    return fmt::format("{}: {} as given", path, value);
  if (change.is_unknown(path))
    return fmt::format("{}: not given: that of {} is another device's", path, from.name);
  if (std::ranges::count(cluster.costs_not_given, path) > 0)
    return fmt::format("{}: not given, as in {}", path, from.name);
  return passed_on(from, path, value);
}

/// What every forecast on the cluster should say of what it has from another one.
std::string caveat_on(const Cluster& cluster, const Cluster& from) {
  std::string text =
      cluster.device.name == from.device.name
          ? fmt::format("costs are assumed to be those of {}", from.name)
          : fmt::format(
                "{} has another device: links that were not given are assumed to be its, "
                "software costs and jitter are not known",
                from.name);
  if (const double scale = jitter_scale(cluster); scale > 1)
    text += fmt::format("; its jitter adds {:.1f} % to compute on these {} GPUs", 100 * (scale - 1),
                        cluster.ranks());
  return text + "; measure this cluster with nccl-tests and stepcast calibrate";
}

void describe(Cluster& cluster, const Cluster& from, const Change& change) {
  Provenance provenance{
      .kind = ProvenanceKind::Assumed,
      .source = fmt::format("derived from {} ({}: {})", from.name, name_of(from.provenance.kind),
                            from.provenance.source),
      .method =
          fmt::format("what was given is as given; everything else is assumed to be as in {}; "
                      "nothing was measured here",
                      from.name)};
  for (const ClusterField& field : cluster_fields())
    if (field.path != "name" && !is_unset(cluster, field) &&
        (cluster.rack || !field.path.starts_with("rack.")))
      provenance.notes.push_back(note_on(cluster, field.path, change, from));
  if (cluster.measured)
    provenance.notes.push_back(
        fmt::format("collectives: assumed: {} as in {}", cluster.measured->name, from.name));
  else if (from.measured)
    provenance.notes.push_back(
        fmt::format("collectives: none: {} was measured on {}", from.measured->name, from.name));
  provenance.caveats = from.provenance.caveats;
  provenance.caveats.push_back(caveat_on(cluster, from));
  cluster.provenance = std::move(provenance);
}

}  // namespace

namespace {

/// Of another device memory, what overlap costs, jitter and the costs of software are not known.
void forget_device(Cluster& cluster, Change& set) {
  set.forget("device_memory", cluster.device.memory);
  for (const ClusterField& field : cluster_fields())
    if (field.is_cost && field.section() != "rack")
      std::visit([&](auto member) { set.forget(field.path, member(cluster)); }, field.member);
}

}  // namespace

Cluster derived_cluster(const Cluster& from, const ClusterChange& change) {
  Cluster cluster = from;
  Change set(cluster);
  set.set("gpus_per_node", cluster.gpus_per_node, change.gpus_per_node);
  set.set("nics", cluster.nics, change.nics);
  set.set("nic.bandwidth", cluster.nic.bandwidth, change.nic_bandwidth);
  set.set("nic.startup", cluster.nic.startup, change.nic_startup);
  set.set("intra_node.bandwidth", cluster.intra_node.bandwidth, change.intra_node_bandwidth);
  set.set("device_memory", cluster.device.memory, change.device_memory);
  if (!change.device.empty())
    set.set("device", cluster.device.name, std::optional(change.device));
  if (cluster.device.name != from.device.name)
    forget_device(cluster, set);
  if (set.changed())
    cluster.measured.reset();
  set.set("nodes", cluster.nodes, change.nodes);
  cluster.name = change.name.empty() ? default_name(cluster, change) : change.name;
  check_cluster(cluster);
  describe(cluster, from, set);
  return cluster;
}

Adapters parse_adapters(const std::string& text) try {
  const std::size_t times = text.find('x');
  if (times == std::string::npos)
    return {.count = 1, .bandwidth = parse_bandwidth(text)};
  const bool spaced = text.find(" x ") + 1 == times;  // as reports write it
  return {.count = parse_count(text.substr(0, spaced ? times - 1 : times), 1),
          .bandwidth = parse_bandwidth(text.substr(spaced ? times + 2 : times + 1))};
} catch (const InputError&) {
  throw InputError(fmt::format(
      "expected the adapters of a node such as 8x400Gbps (eight of 400 Gb/s) or 100Gbps, found {}",
      in_quotes(text)));
}

}  // namespace stepcast
