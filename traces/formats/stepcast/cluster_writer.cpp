#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

struct Unit {
  double size = 1;
  const char* name;
};

/// In the largest unit that is not above the value; 12 digits come back as they were.
template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& units) {
  const auto unit =
      std::ranges::find_if(units, [&](const Unit& candidate) { return value >= candidate.size; });
  const Unit& chosen = unit == units.end() ? units.back() : *unit;
  return fmt::format("{:.12g}{}", value / chosen.size, chosen.name);
}

std::string text_of(Seconds time) {
  constexpr std::array<Unit, 4> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  return time == Seconds{} ? "0s" : in_units(time.value, kUnits);
}

std::string text_of(BytesPerSecond bandwidth) {
  constexpr std::array<Unit, 3> kUnits = {{{1e9, "GBps"}, {1e6, "MBps"}, {1, "Bps"}}};
  return in_units(bandwidth.value, kUnits);
}

std::string text_of(Bytes size) {
  constexpr std::array<Unit, 3> kUnits = {{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1, "B"}}};
  const auto whole = std::ranges::find_if(
      kUnits, [&](const Unit& unit) { return std::fmod(size.value, unit.size) == 0; });
  return in_units(size.value, std::array<Unit, 1>{whole == kUnits.end() ? kUnits.back() : *whole});
}

/// Texts where the file has texts, numbers where it has numbers.
ordered_json value_of(Cluster& cluster, const ClusterField& field) {
  return std::visit(
      [&](auto member) -> ordered_json {
        const auto& value = member(cluster);
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string> || std::is_arithmetic_v<Value>)
          return value;
        else
          return text_of(value);
      },
      field.member);
}

/// A member, or what it holds, is zero.
bool is_nothing(const ordered_json& value) {
  return value == 0 || value == "0s" || value == "0B" || value == "0GiB" || value == "0Bps";
}

bool is_left_out(const Cluster& cluster, const ClusterField& field, const ordered_json& value) {
  if (field.path.starts_with("rack.") && !cluster.rack)
    return true;
  if (field.path == "nics")
    return cluster.nics == 1;
  const bool not_given = std::ranges::count(cluster.costs_not_given, field.path) > 0;
  // A rate of 0 stands for none and cannot be written.
  const bool no_rate = is_nothing(value) && field.path.ends_with("bandwidth");
  const bool says_nothing = field.presence == Presence::Rare || field.path == "device_memory";
  return not_given || no_rate || (says_nothing && is_nothing(value));
}

}  // namespace

bool is_unset(const Cluster& cluster, const ClusterField& field) {
  Cluster copy = cluster;
  return field.presence == Presence::Rare && is_nothing(value_of(copy, field));
}

std::string field_text(const Cluster& cluster, std::string_view path) {
  Cluster copy = cluster;  // The table of fields hands out references.
  const ordered_json value = value_of(copy, cluster_field(path));
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string to_json_text(const Cluster& cluster) {
  Cluster copy = cluster;
  ordered_json json{{"format", "stepcast-cluster"}, {"version", 1}};
  for (const ClusterField& field : cluster_fields()) {
    ordered_json value = value_of(copy, field);
    if (is_left_out(cluster, field, value))
      continue;
    const std::size_t dot = field.path.find('.');
    if (dot == std::string::npos)
      json[field.path] = std::move(value);
    else
      json[field.path.substr(0, dot)][field.path.substr(dot + 1)] = std::move(value);
  }
  if (cluster.measured)
    json["collectives"] = cluster.measured->name;
  json["provenance"] = provenance_json(cluster.provenance);
  return json.dump(2) + "\n";
}

}  // namespace stepcast
