#include "traces/readers/nccl_tests/nccl_tests_json.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/nccl_tests/nccl_tests_text.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

const json& member_of(const json& object, const char* key) {
  static const json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

double number_of(const json& object, const char* key) {
  const json& value = member_of(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

Seconds time_of(const json& row, const char* place) {
  return Seconds{number_of(member_of(row, place), "time") * 1e-6};
}

bool is_wrong(const json& row) {
  return number_of(member_of(row, "out_of_place"), "nwrong") > 0 ||
         number_of(member_of(row, "in_place"), "nwrong") > 0;
}

std::optional<CollectiveKind> kind_of_row(const json& row, std::uint32_t ranks) {
  const json& timed = member_of(row, "out_of_place");
  const double algorithm = number_of(timed, "alg_bw");
  const double factor = algorithm >= 1 ? number_of(timed, "bus_bw") / algorithm : 0;
  const std::string redop = text_of(member_of(row, "redop"));
  const json& root = member_of(row, "root");
  const bool has_root = root.is_number() && root.get<double>() >= 0;
  return find_kind_by_columns(!redop.empty() && redop != "none", has_root, factor, ranks);
}

struct Devices {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::string name;
};

Devices devices_of(const json& config) {
  Devices devices;
  std::set<std::string> hosts;
  const json& list = member_of(config, "devices");
  if (!list.is_array())
    return devices;
  for (const json& device : list) {
    ++devices.ranks;
    const std::string host = text_of(member_of(device, "hostname"));
    hosts.insert(host.empty() ? text_of(member_of(device, "host")) : host);
    devices.name = text_of(member_of(device, "device_name"));
  }
  devices.nodes = static_cast<std::uint32_t>(hosts.size());
  return devices;
}

}  // namespace

bool is_nccl_tests_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         (head.find("\"out_of_place\"") != std::string_view::npos ||
          head.find("nccl") != std::string_view::npos);
}

BenchmarkLog read_nccl_tests_json(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report) {
  const json root = parse_json(text, origin);
  const json& results = member_of(root, "results");
  if (!results.is_array())
    throw InputError(fmt::format("{}: /results: expected an array of measured sizes", origin));
  Devices devices = devices_of(member_of(root, "config"));
  if (devices.ranks == 0) {
    devices.ranks = hints.nodes * hints.gpus_per_node;
    devices.nodes = hints.nodes;
  }
  CurveBuilder curve(report);
  std::optional<CollectiveKind> kind;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& row = results[i];
    const std::string where = fmt::format("/results/{}", i);
    if (is_wrong(row)) {
      report.skip("row with wrong results", where);
      continue;
    }
    if (const auto found = kind_of_row(row, devices.ranks))
      kind = found;
    curve.add(Bytes{number_of(row, "size")},
              shorter_of(time_of(row, "out_of_place"), time_of(row, "in_place"), where, report),
              where);
  }
  return {.tool = "nccl-tests",
          .device = devices.name,
          .curve =
              curve.finish(kind_of_log(hints, kind, origin), devices.ranks, devices.nodes, origin)};
}

}  // namespace stepcast
