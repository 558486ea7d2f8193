#include "traces/readers/stepcast/device_reader.hpp"

#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/format_header.hpp"
#include "traces/readers/stepcast/transformers/training_law_reader.hpp"

namespace stepcast {
namespace {

FlopsPerSecond read_tflops(ObjectReader& reader, std::string_view key) {
  const double tflops = reader.number(key, 0);
  if (tflops <= 0)
    reader.fail(key, "expected a number above 0, found 0");
  return {tflops * 1e12};
}

struct DeviceFile {
  DeviceSpec device;
  std::vector<std::string> profiler_names;
  std::optional<WrittenLaw> law;
};

DeviceFile parse_file(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-device");
  DeviceFile file{.device = {.name = root.text("name"),
                             .peak_fp32 = read_tflops(root, "peak_fp32_tflops"),
                             .memory_bandwidth = root.bandwidth_text("memory_bandwidth"),
                             .memory = root.size_text_or("memory", {}),
                             .provenance = read_provenance(root.object("provenance"))},
                  .profiler_names = root.texts_or_none("profiler_names")};
  if (root.has("elementwise_bandwidth"))
    file.device.elementwise = root.bandwidth_text("elementwise_bandwidth");
  if (auto law = root.object_if("law"))
    file.law = read_law(*std::move(law));
  if (file.device.name.empty())
    root.fail("name", "expected a name, found \"\"");
  root.finish();
  return file;
}

}  // namespace

DeviceSpec parse_device(std::string_view text, const std::string& origin) {
  return parse_file(text, origin).device;
}

DeviceSpec read_device(const std::filesystem::path& path) {
  return parse_device(read_text_file(path), path.string());
}

std::optional<WrittenLaw> find_written_law(const std::filesystem::path& path) {
  return parse_file(read_text_file(path), path.string()).law;
}

std::vector<std::string> read_profiler_names(const std::filesystem::path& path) {
  return parse_file(read_text_file(path), path.string()).profiler_names;
}

}  // namespace stepcast
