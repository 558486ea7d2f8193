#include "sim/cli/study/study_log.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "sim/cli/study/file_lines.hpp"
#include "sim/cli/tell.hpp"
#include "sim/forecast/forecast_text.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/text/sweep_report.hpp"
#include "sim/workers/stop.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// Keys of all combinations; "" for one whose scenario is refused.
std::vector<std::string> keys_of(const Sweep& sweep) {
  SweepKeys keys(sweep);
  std::vector<std::string> all;
  for (const Combination& combination : sweep.combinations) {
    if (stop_signal() != 0)
      throw Stopped(stop_signal());
    try {
      all.push_back(keys.key_of(combination));
    } catch (const InputError&) {
      all.emplace_back();
    }
  }
  return all;
}

/// A line holds a forecast twice: for people and their scripts, and for --resume.
void check_halves(ObjectReader& line, const Forecast& forecast, const std::string& origin) {
  if (line.has("result") && line.raw("result") != nlohmann::json::parse(to_json(forecast)))
    throw InputError(origin +
                     ": /result: expected the same forecast as /forecast holds, found another; "
                     "remove the line, and --resume forecasts it again");
}

std::string line_of(const Combination& combination, const std::string& key,
                    const SweepResult& result) {
  nlohmann::ordered_json line{{"key", key}};
  line["combination"] = nlohmann::ordered_json::object();
  for (const Cell& cell : combination.cells)
    line["combination"][cell.name] = cell.value;
  if (result.forecast) {
    line["result"] = nlohmann::ordered_json::parse(to_json(*result.forecast));
    line["forecast"] = flat_json(*result.forecast);
  } else {
    line["refused"] = result.refusal;
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// What goes on from a file writes over a last line that was never finished: it must be the begin
/// of one of ours.
void check_unfinished(std::string_view rest, const std::string& origin) {
  constexpr std::string_view kBegin = "{\"key\":\"";
  if (!rest.starts_with(kBegin.substr(0, rest.size())))
    throw InputError(origin + ": expected a line that --json-lines wrote, or the begin of one");
}

}  // namespace

std::vector<CommandOption> options_of(StudyFiles& files) {
  return {
      output_option("--csv", &files.csv,
                    "also write the results as a table, row by row as they come"),
      output_option("--json-lines", &files.json_lines,
                    "also write a line of JSON for each result as it comes"),
      {"--resume", "FILE", &files.resume,
       "go on from a file of --json-lines: forecast only what it lacks,\nand append it there"},
      {"--keep-going", "", &files.keep_going,
       "a combination that is refused becomes a line below the table"},
  };
}

void check_study_files(const StudyFiles& files) {
  if (!files.json_lines.empty() && !files.resume.empty())
    throw InputError("--json-lines: --resume appends to its file; give one of the two");
}

// A last line that was never finished is passed over.
void for_each_line(const std::string& path, const LineTaker& take) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent))
    throw InputError(path + ": not found");
  if (std::filesystem::file_size(path, absent) == 0)
    return;
  const std::string text = read_text_file(path);
  const std::size_t whole = text.rfind('\n') + 1;
  std::istringstream stream(text.substr(0, whole));
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    const std::string origin = fmt::format("{}: line {}", path, ++number);
    const nlohmann::json json = parse_line(line, path, number);
    ObjectReader reader(json, origin);
    take(reader, origin);
  }
  check_unfinished(std::string_view(text).substr(whole),
                   fmt::format("{}: line {}", path, number + 1));
}

StudyLog::StudyLog(const Sweep& sweep, const StudyFiles& files)
    : sweep_(sweep),
      results_(files.csv.empty() ? 0 : sweep.combinations.size()),
      there_(results_.size()),
      with_refusals_(files.keep_going) {
  if (!files.json_lines.empty() || !files.resume.empty())
    keys_ = keys_of(sweep);
  if (!files.resume.empty())
    read_known(files.resume);
  if (!files.json_lines.empty())
    write_text_file(files.json_lines, "");
  if (!keys_.empty())
    lines_ = GrowingFile(files.resume.empty() ? files.json_lines : files.resume);
  if (!files.csv.empty()) {
    write_text_file(files.csv, sweep_csv_head(sweep.combinations.front().cells, with_refusals_));
    csv_ = GrowingFile(files.csv);
  }
  for (const auto& [number, forecast] : known_)
    add_to_table(number, {.forecast = forecast});
}

// Those of other studies are passed over.
void StudyLog::read_known(const std::string& path) {
  std::map<std::string, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < keys_.size(); ++i)
    if (!keys_[i].empty())
      numbers.emplace(keys_[i], i);
  for_each_line(path, [&](ObjectReader& line, const std::string& origin) {
    const auto known = numbers.find(line.text("key"));
    if (known == numbers.end() || !line.has("forecast"))
      return;
    Forecast forecast = forecast_from_flat(line.raw("forecast"), origin);
    check_halves(line, forecast, origin);
    known_.insert_or_assign(known->second, std::move(forecast));
  });
  tell("stepcast: {} of {} forecasts are taken from {}\n", known_.size(), keys_.size(), path);
}

void StudyLog::add(std::uint32_t combination, const SweepResult& result) {
  if (!keys_.empty())
    lines_.append(line_of(sweep_.combinations[combination], keys_[combination], result));
  lines_.check();
  add_to_table(combination, result);
  csv_.check();
}

void StudyLog::add_to_table(std::uint32_t combination, const SweepResult& result) {
  if (there_.empty())
    return;
  results_[combination] = result;
  there_[combination] = true;
  while (next_ < there_.size() && there_[next_])
    add_row(next_++);
}

void StudyLog::add_row(std::uint32_t combination) {
  const SweepResult& result = results_[combination];
  if (!result.forecast && !with_refusals_)
    return;
  const std::uint32_t first = sweep_.combinations[combination].baseline;
  const auto job =
      std::ranges::find_if(results_.begin() + first, results_.end(),
                           [](const SweepResult& each) { return each.forecast.has_value(); });
  csv_.append(sweep_csv_row(sweep_.combinations[combination].cells, result,
                            job == results_.end() ? nullptr : &*job->forecast, with_refusals_));
}

void StudyLog::finish() {
  for (; next_ < there_.size(); ++next_)
    if (there_[next_])
      add_row(next_);
  csv_.check();
  lines_.check();
}

}  // namespace stepcast
