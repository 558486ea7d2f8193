#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/checks/case_validation.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/hardware_validation.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/measured/validation_report.hpp"
#include "sim/workers/workers.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr int kOutOfTolerance = 4;

/// Shipped measurements, by name.
std::vector<std::string> published_files() {
  std::vector<std::string> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(data_root() / "traces/published", absent)) {
    if (entry.path().extension() == ".json")
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

/// Compares predictions with measured iteration times.
class ValidateCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Without FILE: all published measurements that StepCast ships. Exits "
                "with 4 if the worst error of\nthe check cases exceeds --max-error.\n"
                "With results that stepcast-probe recorded: device and collective models are "
                "fitted on half of the\npoints and predict the other half and the replays; "
                "--max-error bounds the median of each family\nand the error of each replay.",
            .examples = {"stepcast validate", "stepcast validate --max-error 20",
                         "stepcast validate traces/hardware/h200-*.json --plot h200.svg",
                         "stepcast validate traces/hardware/h200-*.json --update-device -o "
                         "configs/devices/h200.json",
                         "stepcast validate measured.json --set cluster.nic.startup=20us"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_,
         "measurements (see stepcast schema measurements),\nor results of stepcast-probe (see "
         "stepcast schema hardware)"},
        {"--set", "KEY=VALUE", &settings_, "change one thing in every case; may be repeated"},
        {"--fidelity", "F", &fidelity_, "analytic, flow (the default) or step"},
        {"--max-error", "PERCENT", &max_error_, "largest error allowed in a check case"},
        plot_.option("results of stepcast-probe\nagainst predictions", "--plot,--figure"),
        {"--update-device", "", &update_device_,
         "results of stepcast-probe: write the fitted device"},
        output_option("-o,--output", &device_file_,
                      "where --update-device writes it (default: <device>.json\nhere)"),
        {"--cases", "FILE.csv", &cases_,
         "measured steps of transformers on layouts; may be repeated"},
        {"--blocks", "FILE.json", &blocks_,
         "of --cases: measured blocks (see stepcast schema blocks) for rows\nof their device and "
         "shape; may be repeated"},
        {"--cluster", "C", &cluster_, "of --cases: where the rows ran, if their set is unknown"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (max_error_ && !(*max_error_ >= 0))
      throw InputError(
          fmt::format("--max-error: expected a percentage of at least 0, found {}", *max_error_));
    if (!cases_.empty())
      return run_cases();
    if (!cluster_.empty())
      throw InputError("--cluster: expected --cases beside it; measurements name their clusters");
    if (!blocks_.empty())
      throw InputError("--blocks: expected --cases beside it");
    for (const std::string& file : files_)
      if (file.ends_with(".csv"))
        throw InputError(fmt::format("validate: {}: a table: use --cases {}", file, file));
    if (holds_hardware_results(files_))
      return run_hardware();
    refuse_given("expected results of stepcast-probe to validate",
                 {{"--figure", plot_.is_wanted()},
                  {"--update-device", update_device_},
                  {"--output", !device_file_.empty()}});
    const Settings settings = parse_settings(settings_);
    const Fidelity fidelity = fidelity_.empty() ? Fidelity::Flow : parse_fidelity(fidelity_);
    std::vector<MeasuredCase> cases;
    for (const std::string& file : files_.empty() ? published_files() : files_)
      std::ranges::move(read_measurements(file).cases, std::back_inserter(cases));
    if (cases.empty())
      throw InputError("validate: no measurements found under " +
                       (data_root() / "traces/published").string());
    const std::vector<Validation> validations = validated(cases, settings, fidelity);
    say("{}", json_ ? validation_json(validations) : render_validation(validations));
    return exit_code(validations);
  }

 private:
  static std::vector<Validation> validated(const std::vector<MeasuredCase>& cases,
                                           const Settings& settings, Fidelity fidelity) {
    Progress progress("case", cases.size());
    return validate(cases, settings, fidelity,
                    {.workers = available_cores(), .predicted = [&] { progress.step(); }});
  }

  int run_cases() const {
    refuse_given("expected no --cases beside it", {{"FILE", !files_.empty()},
                                                   {"--figure", plot_.is_wanted()},
                                                   {"--update-device", update_device_},
                                                   {"--output", !device_file_.empty()},
                                                   {"--fidelity", !fidelity_.empty()}});
    return run_case_validation({.files = cases_,
                                .blocks = blocks_,
                                .cluster = cluster_,
                                .settings = settings_,
                                .max_error = max_error_,
                                .json = json_});
  }

  int run_hardware() const {
    refuse_given("does not apply to results of stepcast-probe",
                 {{"--set", !settings_.empty()}, {"--fidelity", !fidelity_.empty()}});
    if (!device_file_.empty() && !update_device_)
      throw InputError(
          "--output: says where --update-device writes the device; expected that beside it");
    return run_hardware_validation({.files = files_,
                                    .max_error = max_error_,
                                    .plot = plot_,
                                    .update_device = update_device_,
                                    .device_file = device_file_,
                                    .json = json_});
  }

  int exit_code(const std::vector<Validation>& validations) const {
    const ErrorSummary summary = summarise(validations, MeasurementUse::Check);
    if (max_error_ && summary.cases == 0)
      throw InputError("--max-error: the measurements have no check case to be compared with it");
    const double worst = 100 * summary.worst;
    if (!max_error_ || worst <= *max_error_)
      return 0;
    std::fflush(stdout);
    tell("stepcast: the worst error of the check cases is {:.1f} %, above {} %\n", worst,
         *max_error_);
    return kOutOfTolerance;
  }

  std::vector<std::string> files_;
  std::vector<std::string> cases_;
  std::vector<std::string> blocks_;
  std::string cluster_;
  std::vector<std::string> settings_;
  std::string fidelity_;
  std::optional<double> max_error_;
  FigureFile plot_;
  bool update_device_ = false;
  std::string device_file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_validate_command() {
  return std::make_unique<ValidateCommand>();
}

}  // namespace stepcast
