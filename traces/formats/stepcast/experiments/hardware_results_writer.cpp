#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "traces/formats/stepcast/experiments/hardware_results.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {
namespace {

std::string machine_text(const Machine& machine) {
  std::vector<std::string> libraries;
  for (const auto& [name, version] : machine.libraries)
    libraries.push_back(fmt::format("{}: {}", json_string(name), json_string(version)));
  std::string text = "{\n";
  const auto line = [&text](std::string_view key, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "    \"{}\": {},\n", key, value);
  };
  line("gpu", json_string(machine.gpu));
  line("capability", json_string(machine.capability));
  line("gpus", fmt::to_string(machine.gpus));
  line("nodes", fmt::to_string(machine.nodes));
  line("memory_bytes", json_number(machine.memory.value));
  line("processor", json_string(machine.processor));
  line("driver", json_string(machine.driver));
  return text + fmt::format("    \"libraries\": {{{}}}\n  }}", fmt::join(libraries, ", "));
}

std::string shape_text(const KernelShape& shape) {
  std::string text = unit_of(shape.family) == SizeUnit::Shape
                         ? fmt::format(R"("m": {}, "n": {}, "k": {})", shape.m, shape.n, shape.k)
                         : fmt::format(R"("size": {})", shape.size);
  if (is_collective(shape.family) || shape.gpus > 1)
    text += fmt::format(R"(, "gpus": {}, "nodes": {})", shape.gpus, shape.nodes);
  if (shape.communicators > 1)
    text += fmt::format(R"(, "communicators": {})", shape.communicators);
  return text;
}

std::string point_text(const KernelPoint& point) {
  std::string text =
      fmt::format(R"({{"family": "{}", {}, "time_s": {}, "spread": {:.4g}, "samples": {})",
                  name_of(point.shape.family), shape_text(point.shape),
                  json_number(point.time.value), point.spread, point.samples);
  if (point.check)
    text += fmt::format(R"(, "check": {:.3g})", *point.check);
  if (is_overlap(point.shape.family))
    text += fmt::format(R"(, "alone_s": {})", json_number(point.alone.value));
  return text + "}";
}

std::string replay_text(const ReplayResult& replay) {
  return fmt::format(
      R"({{"workload": {}, "cluster": {}, "schedule": {}, "gpus": {}, "emulated": {}, )"
      R"("iterations": {}, "predicted_s": {}, "measured_s": {}, "spread": {:.4g}}})",
      json_string(replay.workload), json_string(replay.cluster), json_string(replay.schedule),
      replay.gpus, replay.emulated, replay.iterations, json_number(replay.predicted.value),
      json_number(replay.measured.value), replay.spread);
}

}  // namespace

std::string to_json_text(const HardwareResults& results) {
  JsonFileText file("stepcast-hardware");
  file.text("name", results.name);
  file.text("device", results.device);
  file.text("date", results.date);
  file.json("quick", results.quick ? "true" : "false");
  file.json("machine", machine_text(results.machine));
  file.provenance(results.provenance);
  file.lines("points", results.points, point_text);
  file.lines("replays", results.replays, replay_text);
  return std::move(file).finish();
}

}  // namespace stepcast
