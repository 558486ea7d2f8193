#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

RackLevel& rack(Cluster& cluster) {
  return cluster.rack ? *cluster.rack : cluster.rack.emplace();
}

/// Parses the text by the type of the member.
class TextSetter {
 public:
  TextSetter(std::string_view text, std::uint32_t least) : text_(text), least_(least) {}

  void operator()(std::string& member) const {
    if (text_.empty())
      throw InputError("expected a name, found \"\"");
    member = text_;
  }
  void operator()(std::uint32_t& member) const { member = parse_count(text_, least_); }
  void operator()(double& member) const {
    const double value = parse_number(text_);
    if (value < least_)
      throw InputError(fmt::format("expected a number of at least {}, found {}", least_, value));
    if (!kScaleRange.contains(value))
      throw InputError(fmt::format("expected {}, found {}", kScaleRange.words, value));
    member = value;
  }
  void operator()(Seconds& member) const { member = parse_seconds(text_); }
  void operator()(Bytes& member) const { member = parse_bytes(text_); }
  void operator()(BytesPerSecond& member) const { member = parse_bandwidth(text_); }

 private:
  std::string_view text_;
  std::uint32_t least_;
};

std::vector<std::string> field_paths() {
  std::vector<std::string> paths;
  for (const ClusterField& field : cluster_fields())
    paths.push_back(field.path);
  return paths;
}

/// Names the fields of an object of the file, such as "nic", which is no field itself.
[[noreturn]] void refuse_path(std::string_view path) {
  const std::vector<std::string> paths = field_paths();
  std::vector<std::string> within;
  for (const std::string& known : paths)
    if (known.size() > path.size() && known.starts_with(path) && known[path.size()] == '.')
      within.push_back(known);
  if (!within.empty())
    throw InputError(fmt::format("expected a field of {}: {}", path, fmt::join(within, ", ")));
  throw InputError("unknown cluster field" + did_you_mean(path, paths));
}

/// Reports print the adapters of a node as "8 x 25 Gb/s", which are two fields.
void refuse_several_adapters(std::string_view path, std::string_view value) {
  const std::size_t times = value.find(" x ");
  if (path == "nic.bandwidth" && times != std::string_view::npos)
    throw InputError(
        fmt::format("expected the bandwidth of one adapter, such as \"{}\", and their number as "
                    "cluster.nics={}; found {}",
                    value.substr(times + 3), value.substr(0, times), in_quotes(value)));
}

}  // namespace

const std::vector<ClusterField>& cluster_fields() {
  using enum Presence;
  using enum FieldTopic;
  constexpr bool kCost = true;
  // clang-format off
  static const std::vector<ClusterField> fields{
      {"name", [](Cluster& c) -> std::string& { return c.name; }, Required},
      {"nodes", [](Cluster& c) -> std::uint32_t& { return c.nodes; }, Required, 1, !kCost, Size},
      {"gpus_per_node", [](Cluster& c) -> std::uint32_t& { return c.gpus_per_node; }, Required, 1, !kCost, Size},
      {"device", [](Cluster& c) -> std::string& { return c.device.name; }, Required},
      {"device_memory", [](Cluster& c) -> Bytes& { return c.device.memory; }},
      {"device_memory_bandwidth", [](Cluster& c) -> BytesPerSecond& { return c.device.memory_bandwidth; }, Optional, 0, kCost},
      {"intra_node.bandwidth", [](Cluster& c) -> BytesPerSecond& { return c.intra_node.bandwidth; }, Required, 0, !kCost, Link},
      {"intra_node.startup", [](Cluster& c) -> Seconds& { return c.intra_node.startup; }, Required, 0, !kCost, Link},
      {"nic.bandwidth", [](Cluster& c) -> BytesPerSecond& { return c.nic.bandwidth; }, Required, 0, !kCost, Link},
      {"nics", [](Cluster& c) -> std::uint32_t& { return c.nics; }, Optional, 1, !kCost, Link},
      {"nic.bandwidth_per_gpu", [](Cluster& c) -> BytesPerSecond& { return c.nic_per_gpu; }, Rare, 0, !kCost, Link},
      {"nic.startup", [](Cluster& c) -> Seconds& { return c.nic.startup; }, Required, 0, !kCost, Link},
      {"rack.nodes", [](Cluster& c) -> std::uint32_t& { return rack(c).nodes; }, InSection, 1, !kCost, Link},
      {"rack.oversubscription", [](Cluster& c) -> double& { return rack(c).oversubscription; }, InSection, 1, !kCost, Link},
      {"rack.startup", [](Cluster& c) -> Seconds& { return rack(c).startup; }, Optional, 0, kCost, Link},
      {"overlap.compute_slowdown", [](Cluster& c) -> double& { return c.overlap.compute_slowdown; }, Optional, 0, kCost},
      {"overlap.communication_slowdown", [](Cluster& c) -> double& { return c.overlap.communication_slowdown; }, Optional, 0, kCost},
      {"overlap.launch_wait", [](Cluster& c) -> double& { return c.overlap.launch_wait; }, Optional, 0, kCost},
      {"software.collective_launch", [](Cluster& c) -> Seconds& { return c.software.collective_launch; }, Optional, 0, kCost},
      {"software.point_to_point_launch", [](Cluster& c) -> Seconds& { return c.software.point_to_point_launch; }, Optional, 0, kCost},
      {"software.horovod_cycle", [](Cluster& c) -> Seconds& { return c.software.horovod_cycle; }},
      {"software.horovod_fusion", [](Cluster& c) -> Bytes& { return c.software.horovod_fusion; }},
      {"software.negotiation_per_cycle", [](Cluster& c) -> Seconds& { return c.software.negotiation_per_cycle; }, Optional, 0, kCost},
      {"software.negotiation_per_rank", [](Cluster& c) -> Seconds& { return c.software.negotiation_per_rank; }, Optional, 0, kCost},
      {"software.negotiation_per_request", [](Cluster& c) -> Seconds& { return c.software.negotiation_per_request; }, Optional, 0, kCost},
      {"software.bytescheduler_hook", [](Cluster& c) -> Seconds& { return c.software.bytescheduler_hook; }, Optional, 0, kCost},
      {"software.ps_per_partition", [](Cluster& c) -> Seconds& { return c.software.ps_per_partition; }, Optional, 0, kCost},
      {"software.jitter", [](Cluster& c) -> double& { return c.software.jitter; }, Optional, 0, kCost},
      {"software.jitter_between_nodes", [](Cluster& c) -> double& { return c.software.jitter_between_nodes; }, Optional, 0, kCost},
      {"software.host_per_launch", [](Cluster& c) -> Seconds& { return c.software.host_per_launch; }, Optional, 0, kCost},
      {"software.host_per_gradient", [](Cluster& c) -> Seconds& { return c.software.host_per_gradient; }, Optional, 0, kCost},
      {"software.host_per_update", [](Cluster& c) -> Seconds& { return c.software.host_per_update; }, Optional, 0, kCost},
      {"software.host_per_collective", [](Cluster& c) -> Seconds& { return c.software.host_per_collective; }, Optional, 0, kCost},
      {"software.ps_sum_bandwidth", [](Cluster& c) -> BytesPerSecond& { return c.software.ps_sum_bandwidth; }, Optional, 0, kCost},
  };
  // clang-format on
  return fields;
}

const ClusterField& cluster_field(std::string_view path) {
  const auto field = std::ranges::find(cluster_fields(), path, &ClusterField::path);
  if (field == cluster_fields().end())
    refuse_path(path);
  return *field;
}

bool is_in_optional_section(const ClusterField& field) {
  return std::ranges::any_of(cluster_fields(), [&](const ClusterField& other) {
    return other.presence == Presence::InSection && other.section() == field.section();
  });
}

void set_cluster_field(Cluster& cluster, std::string_view path, std::string_view value) {
  const ClusterField& field = cluster_field(path);
  refuse_several_adapters(path, value);
  const TextSetter set(value, field.least);
  std::visit([&](auto member) { set(member(cluster)); }, field.member);
  std::erase(cluster.costs_not_given, path);
}

void check_cluster(const Cluster& cluster) {
  constexpr std::uint64_t kMostGpus = std::uint64_t{1} << 20;
  const std::uint64_t gpus = std::uint64_t{cluster.nodes} * cluster.gpus_per_node;
  if (gpus > kMostGpus)
    throw InputError(fmt::format("expected at most {} GPUs, found {} nodes of {} GPUs", kMostGpus,
                                 cluster.nodes, cluster.gpus_per_node));
}

}  // namespace stepcast
