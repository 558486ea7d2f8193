#include "sim/report/text/measured/hardware_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

constexpr const char* kRow = "  {:<22} {:<54} {:>10} {:>10} {:>8}\n";

std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

std::string cases_of(const HardwareValidation& validation, const std::string& device) {
  std::string text = fmt::format(kRow, "family", "case", "measured", "predicted", "error");
  for (const HardwareCase& each : validation.cases)
    if (each.device == device)
      text += fmt::format(kRow, each.family, each.what, format_seconds(each.measured),
                          format_seconds(each.predicted), signed_percent(each.error()));
  return text;
}

std::string summary_of(const HardwareValidation& validation, const std::string& device) {
  std::string text =
      fmt::format("  {:<22} {:>6} {:>10} {:>10}\n", "family", "cases", "median", "worst");
  for (const FamilyErrors& family : validation.families)
    if (family.device == device)
      text +=
          fmt::format("  {:<22} {:>6} {:>8.1f} % {:>8.1f} %\n", family.family, family.errors.cases,
                      100 * family.errors.median, 100 * family.errors.worst);
  return text;
}

/// What a device is read off.
struct DevicePoints {
  std::vector<KernelPoint> products;
  std::vector<KernelPoint> copies;
};

DevicePoints device_points(std::span<const HardwareResults> files) {
  DevicePoints points;
  for (const HardwareResults& file : files) {
    if (file.device != files.front().device)
      throw InputError(fmt::format("--update-device: the files are of {} and {}; give those of one",
                                   files.front().device, file.device));
    if (file.quick)
      throw InputError(fmt::format(
          "--update-device: {} was measured with --quick; measure it in full", file.name));
    for (const KernelPoint& point : file.points) {
      if (point.shape.family == KernelFamily::GemmFp32)
        points.products.push_back(point);
      if (point.shape.family == KernelFamily::CopyDevice)
        points.copies.push_back(point);
    }
  }
  return points;
}

void require_enough(const DevicePoints& points) {
  constexpr std::size_t kFewestProducts = 8;
  constexpr std::size_t kFewestCopies = 4;
  constexpr std::uint64_t kBeyondCaches = 64ULL << 20;
  const bool large = std::ranges::any_of(
      points.copies, [](const KernelPoint& point) { return point.shape.size >= kBeyondCaches; });
  if (points.products.size() < kFewestProducts || points.copies.size() < kFewestCopies || !large)
    throw InputError(fmt::format(
        "--update-device: needs at least {} gemm-fp32 points and {} copy-device points with one of "
        "64 MiB or more, found {} and {}{}; measure them: stepcast-probe gemm memory",
        kFewestProducts, kFewestCopies, points.products.size(), points.copies.size(),
        points.copies.empty() || large ? "" : ", none so large"));
}

double rate_of(const KernelPoint& product) {
  return flops_of(product.shape).value / product.time.value;
}

}  // namespace

std::string render_hardware_validation(const HardwareValidation& validation) {
  std::string text;
  for (const std::string& device : distinct(validation.families, &FamilyErrors::device))
    text += fmt::format("{}\n\n{}\nAbsolute errors\n{}\n", device, cases_of(validation, device),
                        summary_of(validation, device));
  text += fmt::format("Models fitted on {} points; {} cases predicted.\n", validation.fitted,
                      validation.cases.size());
  if (!validation.quick.empty())
    text += fmt::format("Measured with --quick, fewer points and repetitions than usual: {}.\n",
                        fmt::join(validation.quick, ", "));
  return text;
}

std::string hardware_validation_json(const HardwareValidation& validation) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION}};
  json["fitted_points"] = validation.fitted;
  json["quick"] = validation.quick;
  json["cases"] = nlohmann::ordered_json::array();
  for (const HardwareCase& each : validation.cases)
    json["cases"].push_back({{"device", each.device},
                             {"family", each.family},
                             {"case", each.what},
                             {"measured_s", each.measured.value},
                             {"predicted_s", each.predicted.value},
                             {"error", each.error()},
                             {"spread", each.spread}});
  json["families"] = nlohmann::ordered_json::array();
  for (const FamilyErrors& family : validation.families)
    json["families"].push_back({{"device", family.device},
                                {"family", family.family},
                                {"cases", family.errors.cases},
                                {"median_error", family.errors.median},
                                {"worst_error", family.errors.worst}});
  return printed(json);
}

std::string hardware_plot(const HardwareValidation& validation) {
  const std::vector<std::string> devices = distinct(validation.families, &FamilyErrors::device);
  LineChart chart{.title = fmt::format("Predicted against measured time: {} (band: 10 %)",
                                       fmt::join(devices, ", ")),
                  .x_label = "measured time",
                  .y_label = "predicted time",
                  .band = 1.1};
  for (const FamilyErrors& family : validation.families) {
    ChartLine dots{.name = devices.size() > 1 ? fmt::format("{} ({})", family.family, family.device)
                                              : family.family,
                   .member = chart.lines.size(),
                   .values = {},
                   .joined = false};
    for (const HardwareCase& each : validation.cases)
      if (each.device == family.device && each.family == family.family) {
        dots.at.push_back(each.measured.value);
        dots.values.push_back(each.predicted.value);
        dots.labels.push_back(fmt::format("{}: {}", each.what, signed_percent(each.error())));
      }
    if (!dots.values.empty())
      chart.lines.push_back(std::move(dots));
  }
  return svg_of(chart);
}

DeviceSpec fitted_device(std::span<const HardwareResults> files) {
  const HardwareResults& first = files.front();
  const DevicePoints points = device_points(files);
  require_enough(points);
  const KernelPoint& product = *std::ranges::max_element(points.products, {}, rate_of);
  const KernelPoint& copy = *std::ranges::max_element(
      points.copies, {}, [](const KernelPoint& point) { return point.shape.size; });
  DeviceSpec device{.name = first.device,
                    .peak_fp32 = {rate_of(product)},
                    .memory_bandwidth = Bytes{2 * static_cast<double>(copy.shape.size)} / copy.time,
                    .memory = first.machine.memory};
  device.provenance = {
      .kind = ProvenanceKind::Derived,
      .source = fmt::format("stepcast-probe on {}, driver {}, {}", first.machine.gpu,
                            first.machine.driver, first.date),
      .method =
          "the best fp32 product rate measured; twice the bytes of the largest copy inside the "
          "device over its time; memory as the driver reports it",
      .notes = {fmt::format("rate: {}, the best of {} products, spread {:.1f} % (interquartile "
                            "range over median)",
                            describe(product.shape), points.products.size(), 100 * product.spread),
                fmt::format("bandwidth: {}, the largest of {} copies, spread {:.1f} %",
                            describe(copy.shape), points.copies.size(), 100 * copy.spread)}};
  return device;
}

std::string device_json_text(const DeviceSpec& device) {
  nlohmann::ordered_json json;
  json["format"] = "stepcast-device";
  json["version"] = 1;
  json["name"] = device.name;
  json["provenance"] = provenance_json(device.provenance);
  json["peak_fp32_tflops"] = std::stod(fmt::format("{:.4g}", device.peak_fp32.value * 1e-12));
  json["memory_bandwidth"] = fmt::format("{:.4g}GBps", device.memory_bandwidth.value * 1e-9);
  if (device.memory.value > 0)
    json["memory"] = fmt::format("{:.0f}B", device.memory.value);
  return printed(json);
}

}  // namespace stepcast
