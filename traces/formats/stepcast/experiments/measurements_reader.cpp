#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/enum_name.hpp"
#include "models/base/text.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

MeasurementUse read_use(ObjectReader& object) {
  const std::string text = object.text("use");
  for (const auto use : {MeasurementUse::Bandwidth, MeasurementUse::Overlap,
                         MeasurementUse::StartUp, MeasurementUse::Software, MeasurementUse::Check})
    if (text == name_of(use))
      return use;
  object.fail(
      "use",
      fmt::format(
          "expected \"bandwidth\", \"overlap\", \"start-up\", \"software\" or \"check\", found "
          "{}",
          in_quotes(text)));
}

MeasuredCase read_case(ObjectReader& object, const std::string& file) {
  MeasuredCase measured{.experiment = read_experiment_fields(object, file),
                        .label = object.text_or("label", ""),
                        .use = read_use(object),
                        .measured = object.time_above_zero("measured_s"),
                        .spread = object.number_or("spread", 0, 0)};
  if (measured.experiment.schedules.size() != 1)
    object.fail("schedules", fmt::format("expected one in a case, found {}",
                                         measured.experiment.schedules.size()));
  for (const auto& [key, several] : {std::pair{"workloads", &measured.experiment.workloads},
                                     {"clusters", &measured.experiment.clusters}})
    if (!several->empty())
      object.fail(key, fmt::format("expected one in a case, found {}", several->size()));
  object.finish();
  return measured;
}

}  // namespace

Measurements parse_measurements(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-measurements");
  Measurements measurements{.name = root.text("name"),
                            .provenance = read_provenance(root.object("provenance"))};
  for (ObjectReader& object : root.objects("cases"))
    measurements.cases.push_back(read_case(object, origin));
  if (measurements.cases.empty())
    root.fail("cases", "expected at least one case");
  root.finish();
  return measurements;
}

Measurements read_measurements(const std::filesystem::path& path) {
  return parse_measurements(read_text_file(path), path.string());
}

const char* name_of(MeasurementUse use) {
  return name_among({"bandwidth", "overlap", "start-up", "software", "check"}, use);
}

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
