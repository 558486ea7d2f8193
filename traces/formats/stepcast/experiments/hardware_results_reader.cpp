#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "traces/formats/stepcast/experiments/hardware_results.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

using nlohmann::json;

namespace {

constexpr std::uint64_t kLargestSize = 1ULL << 50;
constexpr std::uint32_t kMostRanks = 1U << 20U;
constexpr Seconds kShortest{1e-9};
constexpr Seconds kLongest{1e6};

std::uint64_t read_kernel_size(ObjectReader& reader, std::string_view key) {
  const std::uint64_t found = reader.count(key, 1);
  if (found > kLargestSize)
    reader.fail(key, fmt::format("expected at most {}, found {}", kLargestSize, found));
  return found;
}

std::uint32_t ranks_or_one(ObjectReader& reader, std::string_view key) {
  return reader.count_up_to_or(key, 1, kMostRanks, 1);
}

/// What no clock can have measured would make errors infinite.
Seconds measured_time(ObjectReader& reader, std::string_view key) {
  const Seconds time = reader.seconds(key);
  if (time < kShortest || time > kLongest)
    reader.fail(key, fmt::format("expected a time from 1e-9 to 1e6 s, found {}", time.value));
  return time;
}

Machine read_machine(ObjectReader reader) {
  Machine machine{.gpu = reader.text("gpu"),
                  .capability = reader.text("capability"),
                  .gpus = ranks_or_one(reader, "gpus"),
                  .nodes = ranks_or_one(reader, "nodes"),
                  .memory = {reader.number("memory_bytes", 0)},
                  .processor = reader.text_or("processor", ""),
                  .driver = reader.text("driver"),
                  .libraries = reader.texts_by_name("libraries")};
  reader.finish();
  return machine;
}

KernelFamily read_family(ObjectReader& reader) {
  const std::string text = reader.text("family");
  if (const std::optional<KernelFamily> found = find_kernel_family(text))
    return *found;
  std::vector<std::string> names;
  for (const KernelFamily family : all_kernel_families())
    names.emplace_back(name_of(family));
  reader.fail("family",
              fmt::format("unknown family {}{}", in_quotes(text), did_you_mean(text, names)));
}

KernelShape read_shape(ObjectReader& reader) {
  KernelShape shape{.family = read_family(reader)};
  if (unit_of(shape.family) == SizeUnit::Shape) {
    shape.m = read_kernel_size(reader, "m");
    shape.n = read_kernel_size(reader, "n");
    shape.k = read_kernel_size(reader, "k");
  } else {
    shape.size = read_kernel_size(reader, "size");
  }
  shape.gpus = ranks_or_one(reader, "gpus");
  shape.nodes = ranks_or_one(reader, "nodes");
  shape.communicators = ranks_or_one(reader, "communicators");
  return shape;
}

KernelPoint read_point(ObjectReader& reader) {
  KernelPoint point{.shape = read_shape(reader),
                    .time = measured_time(reader, "time_s"),
                    .spread = reader.number("spread", 0),
                    .samples = reader.count_up_to("samples", 1, kMostRanks),
                    .check = std::nullopt};
  if (reader.has("check"))
    point.check = reader.number("check", 0);
  if (is_overlap(point.shape.family))
    point.alone = measured_time(reader, "alone_s");
  reader.finish();
  return point;
}

ReplayResult read_replay(ObjectReader& reader) {
  ReplayResult replay{.workload = reader.text("workload"),
                      .cluster = reader.text("cluster"),
                      .schedule = reader.text("schedule"),
                      .gpus = ranks_or_one(reader, "gpus"),
                      .emulated = reader.flag("emulated"),
                      .iterations = reader.count_up_to("iterations", 1, kMostRanks),
                      .predicted = measured_time(reader, "predicted_s"),
                      .measured = measured_time(reader, "measured_s"),
                      .spread = reader.number("spread", 0)};
  reader.finish();
  return replay;
}

std::string device_name(ObjectReader& root) {
  std::string name = root.text("device");
  if (!is_device_name(name))
    root.fail("device", fmt::format("expected a name of lower-case letters, digits, '-', '.' and "
                                    "'_' such as h200, found {}",
                                    in_quotes(name)));
  return name;
}

}  // namespace

bool is_device_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                  c == '_';
         });
}

HardwareResults parse_hardware_results(std::string_view text, const std::string& origin) {
  const json document = parse_json(text, origin);
  ObjectReader root(document, origin);
  read_format_header(root, "stepcast-hardware");
  HardwareResults results{.name = root.text("name"),
                          .device = device_name(root),
                          .date = root.text("date"),
                          .quick = root.flag("quick"),
                          .machine = read_machine(root.object("machine")),
                          .provenance = read_provenance(root.object("provenance")),
                          .points = {},
                          .replays = {}};
  for (ObjectReader& point : root.objects_or_none("points"))
    results.points.push_back(read_point(point));
  for (ObjectReader& replay : root.objects_or_none("replays"))
    results.replays.push_back(read_replay(replay));
  if (results.points.empty() && results.replays.empty())
    root.fail("points", "expected at least one point, or one of replays");
  root.finish();
  return results;
}

HardwareResults read_hardware_results(const std::filesystem::path& path) {
  return parse_hardware_results(read_text_file(path), path.string());
}

std::string format_of_file(const std::filesystem::path& path) {
  const json document = parse_json(read_text_file(path), path.string());
  const auto found = document.is_object() ? document.find("format") : document.end();
  return document.is_object() && found != document.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

}  // namespace stepcast
