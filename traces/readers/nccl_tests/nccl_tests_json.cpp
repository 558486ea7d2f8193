#include "traces/readers/nccl_tests/nccl_tests_json.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/log_facts.hpp"
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

bool contradicts_itself(const json& row, const char* place) {
  const json& bandwidth = member_of(member_of(row, place), "alg_bw");
  return bandwidth.is_number() &&
         contradicts(Bytes{number_of(row, "size")}, time_of(row, place), bandwidth.get<double>());
}

bool is_contradictory(const json& row) {
  return contradicts_itself(row, "out_of_place") || contradicts_itself(row, "in_place");
}

/// Where only one place was timed, it is the shorter.
Seconds shorter_time(const json& row, const std::string& where, ImportReport& report) {
  const bool both = member_of(row, "out_of_place").contains("time") &&
                    member_of(row, "in_place").contains("time");
  const Seconds out_of_place = time_of(row, "out_of_place");
  const Seconds in_place = time_of(row, "in_place");
  return both ? shorter_of(out_of_place, in_place, where, report)
              : std::max(out_of_place, in_place);
}

std::vector<CollectiveKind> kinds_of_row(const json& row, std::uint32_t ranks) {
  const json& timed = member_of(row, "out_of_place");
  const double algorithm = number_of(timed, "alg_bw");
  const double factor = algorithm >= 1 ? number_of(timed, "bus_bw") / algorithm : 0;
  const std::string redop = text_of(member_of(row, "redop"));
  const json& root = member_of(row, "root");
  const bool has_root = root.is_number() && root.get<double>() >= 0;
  return kinds_by_columns(!redop.empty() && redop != "none", has_root, factor, ranks);
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

/// The kinds are those of the row that leaves the fewest: small ones print no bandwidth.
void take_row(const json& row, const std::string& where, std::uint32_t ranks, LogFacts& facts,
              CurveBuilder& curve, ImportReport& report) {
  const std::vector<CollectiveKind> kinds = kinds_of_row(row, ranks);
  if (facts.possible.empty() || kinds.size() < facts.possible.size())
    facts.possible = kinds;
  curve.add(Bytes{number_of(row, "size")}, shorter_time(row, where, report), where);
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
  const Devices devices = devices_of(member_of(root, "config"));
  LogFacts facts{.ranks = devices.ranks, .nodes = devices.nodes};
  const LogLayout layout = layout_of_log(facts, hints, origin, report);
  CurveBuilder curve(report);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& row = results[i];
    const std::string where = fmt::format("/results/{}", i);
    if (is_wrong(row))
      report.skip("row with wrong results", where);
    else if (is_contradictory(row))
      report.skip("row whose time and bandwidth contradict each other", where);
    else
      take_row(row, where, layout.ranks, facts, curve, report);
  }
  curve.refuse_none(origin);
  if (facts.possible.size() == 1)
    facts.kind = facts.possible.front();
  const CollectiveKind kind = kind_of_log(facts, hints, origin, report);
  return {.tool = "nccl-tests",
          .device = devices.name,
          .curve = curve.finish(kind, layout.ranks, layout.nodes, origin)};
}

}  // namespace stepcast
