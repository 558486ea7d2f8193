#include "sim/report/text/studies/parts_breakdown_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

using Parts = std::vector<NamedTime>;

std::string table_of(const Parts& parts) {
  Table table{.columns = {{"part", Align::Left}, {"time s"}, {"sum s"}}};
  Seconds sum{};
  for (const NamedTime& part : parts) {
    sum += part.time;
    table.rows.push_back(
        {part.name, fmt::format("{:.4f}", part.time.value), fmt::format("{:.4f}", sum.value)});
  }
  return render(table);
}

std::string note_on_other(const PartsBreakdown& breakdown) {
  const bool has_other = breakdown.parts.back().name == kOtherPart;
  return has_other ? fmt::format("\n{}\n", breakdown.note) : "";
}

std::string note_on_negative(const Parts& parts) {
  std::vector<std::string> names;
  for (const NamedTime& part : parts)
    if (part.time < Seconds{})
      names.push_back(part.name);
  if (names.empty())
    return "";
  const std::string note =
      fmt::format("{}: below 0, as switching it on ended a wait that was there before.",
                  fmt::join(names, ", "));
  return fmt::format("\n{}", wrap(note, 0));
}

}  // namespace

std::string render_parts_breakdown(const PartsBreakdown& breakdown) {
  const std::string heading =
      fmt::format("{}: {}", breakdown.schedule,
                  setup_of(breakdown.workload, breakdown.cluster, breakdown.fidelity));
  SharedNotes shared;
  shared.add("the whole step", breakdown.notes);
  return wrap(heading, 2) + "\n" + table_of(breakdown.parts) +
         likely_line(breakdown.likely, "likely range of the step") + note_on_other(breakdown) +
         note_on_negative(breakdown.parts) + text_of(shared);
}

std::string parts_breakdown_json(const PartsBreakdown& breakdown) {
  nlohmann::ordered_json json = study_json({.workload = breakdown.workload,
                                            .cluster = breakdown.cluster.name,
                                            .gpus = breakdown.cluster.ranks(),
                                            .fidelity = name_of(breakdown.fidelity)});
  json["schedule"] = breakdown.schedule;
  json["protocol"] = name_of(breakdown.protocol);
  json["iteration_time_s"] = total_of(breakdown.parts).value;
  add_likely(json, breakdown.likely);
  for (const NamedTime& part : breakdown.parts)
    json["parts_s"][part.name] = part.time.value;
  json["notes"] = texts_of(breakdown.notes);
  return printed(json);
}

std::string parts_breakdown_csv(const PartsBreakdown& breakdown) {
  std::string text = csv_line({"part", "time_s"});
  for (const NamedTime& part : breakdown.parts)
    text += csv_line({part.name, csv_number(part.time.value)});
  return text;
}

}  // namespace stepcast
