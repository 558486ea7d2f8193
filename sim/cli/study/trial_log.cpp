#include "sim/cli/study/trial_log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/tuning_report.hpp"
#include "sim/study/sweep/inputs_key.hpp"
#include "traces/json/strict_json.hpp"

// A search asks again for the same values in the same order, so that going on is to answer from the
// file what it knows. Refused values cost nothing and are tried again.

namespace stepcast {

TrialLog::TrialLog(const StudyFiles& files, std::string option, OptionKind kind,
                   const std::string& inputs)
    : option_(std::move(option)), inputs_(inputs) {
  if (!files.resume.empty())
    read_known(files.resume);
  if (!files.json_lines.empty())
    write_text_file(files.json_lines, "");
  if (!files.json_lines.empty() || !files.resume.empty())
    lines_ = GrowingFile(files.resume.empty() ? files.json_lines : files.resume);
  if (!files.csv.empty()) {
    write_text_file(files.csv, tuning_csv_head(option_, kind));
    csv_ = GrowingFile(files.csv);
  }
}

std::string TrialLog::key_of(const std::string& text) const {
  return key_of_text(fmt::format("{}{}={}\n", inputs_, option_, text));
}

// Lines of other searches and studies are passed over.
void TrialLog::read_known(const std::string& path) {
  for_each_line(path, [this](ObjectReader& line, const std::string&) {
    const std::string key = line.text("key");
    if (!line.has("samples"))
      return;
    const Measurement found{.time = line.seconds("iteration_time_s"),
                            .samples = line.number("samples", 0)};
    if (found.time == Seconds{})
      line.fail("iteration_time_s", "expected a time above 0, found 0");
    if (found.samples == 0)
      line.fail("samples", "expected a number above 0, found 0");
    known_[key] = found;
  });
  tell("stepcast: {} trials are read from {}\n", known_.size(), path);
}

std::optional<Measurement> TrialLog::known(const std::string& text) const {
  const auto found = known_.find(key_of(text));
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void TrialLog::add(const Trial& trial) {
  if (!best_ || trial.per_sample() < best_->per_sample())
    best_ = trial;
  csv_.append(tuning_csv_row(++count_, trial, *best_));
  csv_.check();
  if (known(trial.text))
    return;
  nlohmann::ordered_json line{{"key", key_of(trial.text)},
                              {"combination", {{option_, trial.text}}}};
  if (trial.is_feasible()) {
    line["iteration_time_s"] = trial.found.time.value;
    line["samples"] = trial.found.samples;
  } else {
    line["refused"] = trial.refusal;
  }
  lines_.append(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  lines_.check();
}

void TrialLog::finish() const {
  csv_.check();
  lines_.check();
}

}  // namespace stepcast
