#include "sim/cli/hardware_validation.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/measured/hardware_report.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr int kOutOfTolerance = 4;

void write_plot(const FigureFile& file, const HardwareValidation& validation) {
  file.write(hardware_plot(validation));
  tell("plot written to {}\n", file.path());
}

void write_device(const std::string& path, const DeviceSpec& device) {
  write_text_file(path, device_json_text(device));
  tell("device written to {}\n", path);
}

/// Beside the user's other files: the shipped data stay as they are unless a path names them.
std::string device_path(const HardwareRequest& request, const DeviceSpec& device) {
  return request.device_file.empty() ? device.name + ".json" : request.device_file;
}

/// Its default name may be that of a file of results.
void check_device_file(const HardwareRequest& request, const std::string& path) {
  std::vector<NamedFile> inputs;
  for (const std::string& file : request.files)
    inputs.push_back({"FILE", file});
  check_outputs({{"--update-device", path}}, inputs);
}

int exit_code(const HardwareValidation& validation, const std::optional<double>& max_error) {
  const FamilyErrors* family = decisive_family(validation);
  const double error = 100 * decisive_error(family);
  if (!max_error || error <= *max_error)
    return 0;
  std::fflush(stdout);
  tell("stepcast: the {} of {} on {} is {:.1f} %, above {} %\n",
       family->family == "replay" ? "worst error" : "median error", family->family, family->device,
       error, *max_error);
  return kOutOfTolerance;
}

}  // namespace

bool holds_hardware_results(const std::vector<std::string>& files) {
  const auto found = std::ranges::count_if(
      files, [](const std::string& file) { return format_of_file(file) == "stepcast-hardware"; });
  if (found > 0 && static_cast<std::size_t>(found) < files.size())
    throw InputError(
        "validate: expected either files of measured iteration times or results of stepcast-probe, "
        "found both; validate them one after the other");
  return found > 0;
}

int run_hardware_validation(const HardwareRequest& request) {
  request.plot.check();
  std::vector<HardwareResults> results;
  for (const std::string& file : request.files)
    results.push_back(read_hardware_results(file));
  const HardwareValidation validation = validate_hardware(results);
  if (request.max_error && validation.cases.empty())
    throw InputError(
        "--max-error: nothing is predicted; it needs three points of a family, or a replay");
  const std::optional<DeviceSpec> device =
      request.update_device ? std::optional(fitted_device(results)) : std::nullopt;
  if (device)
    check_device_file(request, device_path(request, *device));
  say("{}",
      request.json ? hardware_validation_json(validation) : render_hardware_validation(validation));
  if (request.plot.is_wanted())
    write_plot(request.plot, validation);
  if (device)
    write_device(device_path(request, *device), *device);
  return exit_code(validation, request.max_error);
}

}  // namespace stepcast
