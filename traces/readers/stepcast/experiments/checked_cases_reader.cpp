#include "traces/readers/stepcast/experiments/checked_cases_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

CheckedCase read_case(ObjectReader object) {
  CheckedCase checked{.source = object.text("source"),
                      .workload = object.text("workload"),
                      .cluster = object.text("cluster"),
                      .device = object.text("device"),
                      .schedule = object.text("schedule"),
                      .label = object.text_or("label", ""),
                      .network = object.text("network"),
                      .experts = static_cast<std::uint32_t>(object.count_or("experts", 1, 1)),
                      .gpus = static_cast<std::uint32_t>(object.count("gpus", 1)),
                      .measured = object.time_above_zero("measured_s"),
                      .predicted = object.time_above_zero("predicted_s")};
  object.finish();
  return checked;
}

}  // namespace

std::vector<CheckedCase> parse_checked_cases(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-checked-cases");
  read_provenance(root.object("provenance"));
  std::vector<CheckedCase> cases;
  for (ObjectReader& object : root.objects("cases"))
    cases.push_back(read_case(std::move(object)));
  root.finish();
  return cases;
}

std::vector<CheckedCase> read_checked_cases(const std::filesystem::path& path) {
  return parse_checked_cases(read_text_file(path), path.string());
}

}  // namespace stepcast
