#include "sim/report/page/page.hpp"

#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "sim/report/fields/diagnosis_fields.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/fields/step_parts.hpp"
#include "sim/report/page/policy_hash.hpp"
#include "sim/report/picture/colours.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

// The page is written by hand (configs/page/page.html, with its style and scripts as files beside
// it) and put together here: what it refers to is written into it, and the data stand in two script
// elements that no browser runs. In these every "<" is written as JSON's \u003c, so that no name
// can end the element; the scripts make text of names, never markup.

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTasks = 20'000;
constexpr std::size_t kMostWithDetails = 100;

fs::path asset(std::string_view name) {
  return data_root() / "configs/page" / name;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(what, from)) != std::string::npos;
       from = at + what.size())
    out.append(text, from, at - from).append(by);
  text = out.append(text, from);
}

/// Replaces `before` NAME `after` by `open`, what the file NAME holds, and `close`, everywhere.
/// Returns what a content policy calls each of them, separated by blanks.
std::string inline_files(std::string& page, std::string_view before, std::string_view after,
                         std::string_view open, std::string_view close) {
  std::string out;
  std::set<std::string> hashes;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = page.find(before, from)) != std::string::npos;) {
    const std::size_t name = at + before.size();
    const std::size_t end = page.find(after, name);
    std::string text = "\n" + read_text_file(asset(page.substr(name, end - name)));
    replace_all(text, "\r\n", "\n");  // A browser does so, too, before it hashes.
    hashes.insert(policy_hash(text));
    out.append(page, from, at - from).append(open).append(text).append(close);
    from = end + after.size();
  }
  page = out.append(page, from);
  return fmt::format("{}", fmt::join(hashes, " "));
}

/// Scripts and styles are allowed by their hashes: one that a name smuggles in is not among them.
void inline_assets(std::string& page) {
  const std::string styles =
      inline_files(page, "<link rel=\"stylesheet\" href=\"", "\">", "<style>", "</style>");
  const std::string scripts =
      inline_files(page, "<script src=\"", "\"></script>", "<script>", "</script>");
  for (const auto& [word, hashes] :
       {std::pair<std::string_view, std::string_view>{"SCRIPTS", scripts}, {"STYLES", styles}})
    page.replace(page.find(word), word.size(), hashes);
}

void fill(std::string& page, std::string_view id, std::string json) {
  replace_all(json, "<", "\\u003c");
  const std::string element = fmt::format("<script type=\"application/json\" id=\"{}\">", id);
  page.insert(page.find(element) + element.size(), json);
}

template <class Of>
nlohmann::json column_of(const Field<Of>& field) {
  return {{"key", field.key},
          {"unit", name_of(field.unit)},
          {"label", field.label},
          {"heading", field.heading},
          {"only_if", field.is(kIfAny)     ? "any"
                      : field.is(kIfKnown) ? "known"
                                           : ""}};
}

/// The columns of a table of objects, as far as JSON has them.
template <class Of>
nlohmann::json columns_of(std::span<const Field<Of>> fields) {
  nlohmann::json columns = nlohmann::json::array();
  for (const Field<Of>& field : fields)
    if (*field.heading != '\0' && !field.is(kNoJson))
      columns.push_back(column_of(field));
  return columns;
}

/// What the page shows: the facts of a forecast, the columns of tables, the parts of a step, and
/// the colours of everything, which are those of figures.
std::string fields_for_page() {
  nlohmann::json json{{"palette", kPalette}};
  for (const StepPart& part : step_parts())
    json["parts"].push_back({{"name", part.name}, {"key", part.key}});
  for (const KindColour& known : kWorkColours)
    json["colours"][std::string(known.kind)] = known.colour;
  for (const auto& [name, view] : {std::pair{"facts", View::Page}, {"columns", View::PageTable}})
    for (const ForecastField* field : fields_shown(view))
      json[name].push_back(column_of(*field));
  json["links"] = columns_of(link_fields());
  json["stages"] = columns_of(stage_fields());
  json["ranks"] = columns_of(rank_fields());
  json["meetings"] = columns_of(meeting_fields());
  json["uneven"] = columns_of(uneven_fields());
  json["clocks"] = columns_of(clock_fields());
  return json.dump();
}

/// The names and the slices: arrows are not drawn.
std::string slices_of(const PageSource& trace) {
  const nlohmann::json all = parse_json(trace.text, trace.origin);
  if (!all.is_object() || !all.contains("traceEvents") || !all["traceEvents"].is_array())
    throw InputError(trace.origin + ": expected a Chrome trace: an object with traceEvents");
  nlohmann::json kept{{"traceEvents", nlohmann::json::array()}};
  std::size_t tasks = 0;
  for (const nlohmann::json& event : all["traceEvents"]) {
    const std::string phase = event.is_object() ? event.value("ph", "") : "";
    if (phase == "M" || (phase == "X" && ++tasks <= kMostTasks))
      kept["traceEvents"].push_back(event);
  }
  return kept.dump();
}

/// A step takes time, where a forecast tells of one.
void check_forecast(const nlohmann::json& forecast, const std::string& origin) {
  if (!forecast.is_object())
    throw InputError(origin + ": expected an object");
  const auto time = forecast.find("iteration_time_s");
  if (time != forecast.end() && !(time->is_number() && time->get<double>() > 0))
    throw InputError(fmt::format("{}/iteration_time_s: expected a number above 0, found {}", origin,
                                 time->dump()));
}

/// The result as JSON, with the least that any page shows.
nlohmann::json result_of(const PageSource& result) {
  nlohmann::json json = parse_json(result.text, result.origin);
  if (!json.is_object() || json.empty())
    throw InputError(result.origin + ": expected what a command prints with --json: an object");
  check_forecast(json, result.origin + ": ");
  const auto results = json.find("results");
  if (results == json.end())
    return json;
  if (!results->is_array() || results->empty())
    throw InputError(result.origin + ": /results: expected forecasts, found none");
  for (std::size_t i = 0; i < results->size(); ++i)
    check_forecast((*results)[i], fmt::format("{}: /results/{}", result.origin, i));
  return json;
}

/// What no table of many forecasts shows would be most of its size.
void leave_out_details(nlohmann::json& result) {
  if (!result.contains("results") || result["results"].size() <= kMostWithDetails)
    return;
  for (nlohmann::json& forecast : result["results"])
    for (const char* key : {"critical_path", "links", "provenance", "communication_s"})
      if (forecast.is_object())
        forecast.erase(key);
  result["left_out_of_the_page"] = "critical paths, links, provenance, busy times";
}

}  // namespace

void require_page_assets() {
  std::error_code absent;
  if (!fs::is_regular_file(asset("echarts.min.js"), absent))
    throw InputError(fmt::format(
        "{}: not there; `scripts/setup --page` fetches it (npm), and pages need nothing afterwards",
        asset("echarts.min.js").string()));
}

void check_result(const PageSource& result) {
  result_of(result);
}

std::string page_of(const PageSource& result, const PageSource& trace, const std::string& figure) {
  require_page_assets();
  nlohmann::json json = result_of(result);
  leave_out_details(json);
  std::string page = read_text_file(asset("page.html"));
  inline_assets(page);
  fill(page, "fields", fields_for_page());
  fill(page, "result", json.dump());
  if (!figure.empty())
    fill(page, "figure", nlohmann::json(figure).dump());
  if (!trace.text.empty())
    fill(page, "timeline", slices_of(trace));
  return page;
}

}  // namespace stepcast
