#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/formats/nccl_tests/listed_ranks.hpp"
#include "traces/formats/nccl_tests/table_row.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using Words = std::vector<std::string_view>;

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
  const json& timed = member_of(row, place);
  return Seconds{number_of(timed, timed.contains("cpu_time") ? "cpu_time" : "time") * 1e-6};
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
  const auto has_time = [&](const char* place) {
    const json& timed = member_of(row, place);
    return timed.contains("time") || timed.contains("cpu_time");
  };
  const bool both = has_time("out_of_place") && has_time("in_place");
  const Seconds out_of_place = time_of(row, "out_of_place");
  const Seconds in_place = time_of(row, "in_place");
  return both ? shorter_of(out_of_place, in_place, where, report)
              : std::max(out_of_place, in_place);
}

/// Roots are written as text: "    -1".
bool has_root(const json& row) {
  const json& root = member_of(row, "root");
  const Words words = root.is_string() ? words_of(root.get_ref<const std::string&>()) : Words{};
  const auto number = words.empty() ? std::nullopt : find_number(words.front());
  return root.is_number() ? root.get<double>() >= 0 : number.value_or(-1) >= 0;
}

/// Six digits are written, but other writers round to two.
void take_factor(const json& row, const char* place, const std::string& where,
                 const std::string& origin, RankRange& range) {
  constexpr double kRounding = 0.0051;
  const json& timed = member_of(row, place);
  const PrintedBandwidth algorithm{number_of(timed, "alg_bw"), kRounding};
  const PrintedBandwidth bus{number_of(timed, "bus_bw"), kRounding};
  if (!range.add(algorithm, bus))
    throw InputError(fmt::format(
        "{}: {}: expected one run of nccl-tests, found bus over algorithm bandwidth {:.4g} after "
        "{}: another number of ranks",
        origin, where, bus.value / algorithm.value, range.text()));
}

/// The first text that is there.
std::string any_text(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const std::string text = text_of(member_of(object, key)); !text.empty())
      return text;
  return {};
}

std::string number_text(const json& object, const char* key) {
  const json& value = member_of(object, key);
  return value.is_number() ? value.dump() : "";
}

/// The name of the device.
std::string take_devices(const json& config, const std::string& origin, ListedRanks& ranks) {
  std::string name;
  const double of_process = number_of(config, "nthreads") * number_of(config, "ngpus");
  if (of_process >= 1 && of_process <= 1e6)
    ranks.set_ranks_of_process(static_cast<std::uint32_t>(of_process));
  const json& list = member_of(config, "devices");
  if (!list.is_array())
    return name;
  for (const json& device : list) {
    const std::string rank = number_text(device, "rank");
    if (!ranks.add({.rank = rank.empty() ? fmt::format("#{}", ranks.count()) : rank,
                    .group = number_text(device, "group"),
                    .process = number_text(device, "pid"),
                    .host = any_text(device, {"hostname", "host"}),
                    .device = number_text(device, "device"),
                    .bus = text_of(member_of(device, "device_hex"))}))
      throw InputError(fmt::format("{}: /config/devices: expected each rank once, found {} again",
                                   origin, rank));
    name = any_text(device, {"device_info", "device_name"});
  }
  return name;
}

void take_row(const json& row, const std::string& where, const std::string& origin, RunRecord& run,
              CurveBuilder& curve, ImportReport& report) {
  const std::string redop = text_of(member_of(row, "redop"));
  run.has_redop = !redop.empty() && redop != "none";
  run.has_root = has_root(row);
  take_factor(row, "out_of_place", where, origin, run.range);
  take_factor(row, "in_place", where, origin, run.range);
  curve.add(Bytes{number_of(row, "size")}, shorter_time(row, where, report), where);
}

}  // namespace

bool is_nccl_tests_json(std::string_view head) {
  return json_start(head) == '{' && (head.find("\"out_of_place\"") != std::string_view::npos ||
                                     head.find("nccl") != std::string_view::npos);
}

BenchmarkLog read_nccl_tests_json(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report) {
  const json root = parse_json(text, origin);
  const json& results = member_of(root, "results");
  if (!results.is_array())
    throw InputError(fmt::format("{}: /results: expected an array of measured sizes", origin));
  RunRecord run;
  const std::string device = take_devices(member_of(root, "config"), origin, run.ranks);
  CurveBuilder curve(report);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& row = results[i];
    const std::string where = fmt::format("/results/{}", i);
    if (is_wrong(row))
      report.skip("row with wrong results", where);
    else if (is_contradictory(row))
      report.skip("row whose time and bandwidth contradict each other", where);
    else
      take_row(row, where, origin, run, curve, report);
  }
  curve.refuse_none(origin);
  const LogFacts facts = facts_of(run, hints, origin, report);
  const LogLayout layout = layout_of_log(facts, hints, origin, report);
  const CollectiveKind kind = kind_of_log(facts, hints, origin, report);
  return {.tool = "nccl-tests",
          .device = device,
          .curve = curve.finish(kind, layout.ranks, layout.nodes, origin)};
}

}  // namespace stepcast
