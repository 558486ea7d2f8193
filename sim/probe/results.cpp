#include "sim/probe/results.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/timeline/chrome_trace.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

/// Today in UTC, "2026-11-21".
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace

std::string device_name_of(std::string_view gpu) {
  for (const std::string_view brand : {"NVIDIA ", "Tesla ", "GeForce ", "Quadro "})
    if (gpu.starts_with(brand))
      gpu.remove_prefix(brand.size());
  std::string name;
  for (const char c : gpu) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-')
      name += static_cast<char>(std::tolower(byte));
  }
  return name.empty() ? "gpu" : name;
}

HardwareResults new_results(const Machine& machine, const std::string& device,
                            const std::string& what, bool quick) {
  HardwareResults results{.name = fmt::format("{}-{}{}", device, what, quick ? "-quick" : ""),
                          .device = device,
                          .date = today(),
                          .quick = quick,
                          .machine = machine,
                          .provenance = {},
                          .points = {},
                          .replays = {}};
  std::ranges::replace(results.name, '/', '_');
  results.provenance = {
      .kind = ProvenanceKind::Measured,
      .source = fmt::format("stepcast-probe " STEPCAST_VERSION " on {}", machine.gpu),
      .method =
          "medians of batches timed with CUDA events after a warm-up; spread is the "
          "interquartile range over the median; check is the largest error against a "
          "double-precision reference"};
  return results;
}

void check_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("--output: there is no folder {}", in_quotes(folder)));
}

void check_file(const std::string& option, const std::string& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  std::error_code error;
  const bool replaces = fs::exists(file, error);
  if ((replaces && !fs::is_regular_file(file, error)) || !fs::is_directory(folder, error) ||
      ::access(folder.c_str(), W_OK) != 0)
    throw InputError(fmt::format("{}: {} cannot be written", option, in_quotes(file)));
}

std::string write_results(const std::string& folder, const HardwareResults& results) {
  const fs::path path = fs::path(folder) / (results.name + ".json");
  write_text_file(path, to_json_text(results));
  return path.string();
}

std::string render_points(const HardwareResults& results) {
  std::string text;
  for (const KernelPoint& point : results.points) {
    text += fmt::format("{:<22} {:<34} {:>10}  +- {:>4.1f} %", name_of(point.shape.family),
                        describe(point.shape), format_seconds(point.time), 100 * point.spread);
    if (point.check)
      text += fmt::format("  checked to {:.1e}", *point.check);
    if (is_overlap(point.shape.family))
      text += fmt::format("  alone {}", format_seconds(point.alone));
    text += '\n';
  }
  return text;
}

std::string replay_trace(const ExportedPlan& plan, const ReplayMeasurement& measured) {
  Timeline timeline{.classes = {{.representative = plan.rank}},
                    .class_of_rank = std::vector<ClassId>(plan.rank + 1, 1),
                    .iterations = static_cast<std::uint32_t>(measured.iterations.size()),
                    .iteration_time = measured.iterations.back(),
                    .worst_iteration_time = std::ranges::max(measured.iterations),
                    .steady = true,
                    .begin = measured.second_begin};
  timeline.class_of_rank[plan.rank] = 0;
  timeline.places = Places(plan.plan.graph.size(), 1);
  for (std::vector<Interval>& intervals : timeline.intervals)
    intervals.assign(plan.plan.graph.size(), kNotRun);
  for (const ReplayInterval& each : measured.intervals)
    timeline.intervals[each.iteration][each.task] = {each.start, each.start, each.end};
  Workload workload;
  workload.name = plan.workload + " (measured)";
  return chrome_trace(workload, plan.plan, timeline);
}

}  // namespace stepcast
