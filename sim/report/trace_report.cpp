#include "sim/report/trace_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/table.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostSteps = 12;  // Shown as a table; JSON has them all.

std::string size_text(Bytes size) {
  return size > Bytes{} ? format_bytes(size) : "not recorded";
}

std::string facts_text(const TraceSummary& summary) {
  std::string text = fmt::format("{} trace\n", summary.format);
  for (const auto& [name, value] : summary.facts)
    text += fmt::format("  {}: {}\n", name, value);
  return text;
}

std::string steps_text(const TraceSummary& summary) {
  Table table{
      .columns = {
          {"step", Align::Left}, {"time"}, {"computing"}, {"communicating"}, {"device work"}}};
  for (const StepSummary& step : summary.steps) {
    if (table.rows.size() == kMostSteps)
      break;
    table.rows.push_back({step.name, format_seconds(step.duration), format_seconds(step.device),
                          format_seconds(step.communication), fmt::format("{}", step.work)});
  }
  std::string text = render(table);
  if (summary.steps.size() > kMostSteps)
    text += fmt::format("... and {} steps more (--json shows all)\n",
                        summary.steps.size() - kMostSteps);
  return text;
}

std::string categories_text(const TraceSummary& summary) {
  Table table{.columns = {{"category", Align::Left}, {"time"}, {"count"}}};
  for (const auto& category : summary.categories)
    table.rows.push_back(
        {category.name, format_seconds(category.time), fmt::format("{}", category.count)});
  return render(table);
}

std::string mean_time_text(const CollectiveSummary& entry) {
  return entry.time > Seconds{} ? format_seconds(entry.time / static_cast<double>(entry.count))
                                : "not recorded";
}

std::string collectives_text(const TraceSummary& summary) {
  Table table{.columns = {{"collective", Align::Left}, {"size"}, {"count"}, {"mean time"}}};
  for (const CollectiveSummary& entry : summary.collectives)
    table.rows.push_back(
        {entry.kind, size_text(entry.size), fmt::format("{}", entry.count), mean_time_text(entry)});
  std::string text = render(table);
  if (summary.overlapped_communication + summary.exposed_communication > Seconds{})
    text += fmt::format("{} of communication beside computation, {} by itself\n",
                        format_seconds(summary.overlapped_communication),
                        format_seconds(summary.exposed_communication));
  return text;
}

ordered_json tallies_json(const std::map<std::string, ImportReport::Tally>& tallies) {
  ordered_json json = ordered_json::object();
  for (const auto& [kind, tally] : tallies)
    json[kind] = {{"count", tally.count}, {"first", tally.first}};
  return json;
}

ordered_json steps_json(const TraceSummary& summary) {
  ordered_json json = ordered_json::array();
  for (const StepSummary& step : summary.steps)
    json.push_back({{"name", step.name},
                    {"time_s", step.duration.value},
                    {"computing_s", step.device.value},
                    {"communicating_s", step.communication.value},
                    {"device_work", step.work}});
  return json;
}

}  // namespace

std::string render_trace(const TraceSummary& summary) {
  std::string text = facts_text(summary);
  if (!summary.steps.empty())
    text += fmt::format("\n{}", steps_text(summary));
  if (!summary.categories.empty())
    text += fmt::format("\n{}", categories_text(summary));
  if (!summary.collectives.empty())
    text += fmt::format("\n{}", collectives_text(summary));
  return text;
}

std::string trace_json(const TraceSummary& summary, const ImportReport& report) {
  ordered_json json{{"format", summary.format}};
  for (const auto& [name, value] : summary.facts)
    json["facts"][name] = value;
  json["steps"] = steps_json(summary);
  json["categories"] = ordered_json::array();
  for (const auto& category : summary.categories)
    json["categories"].push_back(
        {{"name", category.name}, {"time_s", category.time.value}, {"count", category.count}});
  json["collectives"] = ordered_json::array();
  for (const CollectiveSummary& entry : summary.collectives)
    json["collectives"].push_back({{"kind", entry.kind},
                                   {"size_bytes", entry.size.value},
                                   {"count", entry.count},
                                   {"time_s", entry.time.value}});
  json["overlapped_communication_s"] = summary.overlapped_communication.value;
  json["exposed_communication_s"] = summary.exposed_communication.value;
  json["skipped"] = tallies_json(report.skipped());
  json["doubtful"] = tallies_json(report.doubtful());
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast
