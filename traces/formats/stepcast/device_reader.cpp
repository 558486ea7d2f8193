#include "traces/formats/stepcast/device_reader.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

constexpr std::array kPrecisions{"fp32", "fp16", "bf16", "fp8"};

FlopsPerSecond tflops(ObjectReader& reader, std::string_view key) {
  return {reader.above_zero(key) * 1e12};
}

GemmLaw read_products(ObjectReader reader) {
  const GemmLaw law{.launch = reader.time_text("launch"),
                    .peak = tflops(reader, "peak_tflops"),
                    .bandwidth = reader.bandwidth_text("bandwidth"),
                    .slots = reader.number("slots", 1),
                    .tile_overhead = reader.number("tile_overhead", 0),
                    .block = reader.time_text("block"),
                    .split = reader.time_text("split"),
                    .least_part = reader.number("least_part", 1),
                    .misaligned = reader.part_or("misaligned", 1),
                    .quantisation = reader.number("quantisation", 0)};
  reader.finish();
  return law;
}

std::map<std::string, FlopsPerSecond> read_peaks(ObjectReader reader) {
  std::map<std::string, FlopsPerSecond> peaks;
  for (const char* precision : kPrecisions)
    if (reader.has(precision))
      peaks[precision] = tflops(reader, precision);
  reader.finish();
  return peaks;
}

AttentionPass read_pass(ObjectReader reader) {
  const AttentionPass pass{.launch = reader.time_text("launch"),
                           .peak = tflops(reader, "peak_tflops"),
                           .softmax = reader.number("softmax", 0),
                           .block = reader.time_text("block")};
  reader.finish();
  return pass;
}

AttentionLaw read_attention(ObjectReader reader) {
  const AttentionLaw law{.slots = reader.number("slots", 1),
                         .rows = reader.number("rows", 1),
                         .quantisation = reader.number("quantisation", 0),
                         .bandwidth = reader.bandwidth_text("bandwidth"),
                         .forward = read_pass(reader.object("forward")),
                         .backward = read_pass(reader.object("backward"))};
  reader.finish();
  return law;
}

MeasuredRange read_range(ObjectReader& reader, const char* key) {
  const nlohmann::json& json = reader.raw(key);
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number() ||
      json[0].get<double>() > json[1].get<double>())
    reader.fail(key, "expected the smallest and the largest, such as [512, 16384]");
  return {json[0].get<double>(), json[1].get<double>()};
}

std::map<std::string, MeasuredRange> read_ranges(ObjectReader reader) {
  std::map<std::string, MeasuredRange> ranges;
  for (const char* key : {"seq", "head_size", "side"})
    if (reader.has(key))
      ranges[key] = read_range(reader, key);
  reader.finish();
  return ranges;
}

// By its shape, or in older files by two rates.
void read_flash(ObjectReader& law, TrainingLaw& read) {
  if (auto attention = law.object_if("attention")) {
    read.attention = read_attention(*std::move(attention));
    return;
  }
  read.flash_forward = tflops(law, "flash_forward_tflops");
  read.flash_backward = tflops(law, "flash_backward_tflops");
}

void read_own(ObjectReader& law, TrainingLaw& read) {
  ObjectReader products = law.object("products");
  for (const char* precision : kPrecisions)
    if (products.has(precision))
      read.products[precision] = read_products(products.object(precision));
  products.finish();
  read_flash(law, read);
  if (auto cast = law.object_if("cast")) {
    read.cast = cast->bandwidth_text("bandwidth");
    read.cast_launch = cast->time_text("launch");
    cast->finish();
  }
  if (auto ranges = law.object_if("measured"))
    read.measured = read_ranges(*std::move(ranges));
  read.elementwise = law.bandwidth_text("elementwise");
  read.kernel = law.time_text("kernel");
  read.off_sector = law.part_or("off_sector", 1);
}

WrittenLaw read_law(ObjectReader law) {
  WrittenLaw written{.like = law.text_or("like", "")};
  if (law.has("like") && written.like.empty())
    law.fail("like", "expected the name of a device, found \"\"");
  TrainingLaw& read = written.law;
  read.peak = read_peaks(law.object("peak_tflops"));
  read.provenance = read_provenance(law.object("provenance"));
  if (written.like.empty())
    read_own(law, read);
  law.finish();
  return written;
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
  DeviceFile file{.device = {.name = root.name("name"),
                             .peak_fp32 = tflops(root, "peak_fp32_tflops"),
                             .memory_bandwidth = root.bandwidth_text("memory_bandwidth"),
                             .memory = root.size_text_or("memory", {}),
                             .provenance = read_provenance(root.object("provenance"))},
                  .profiler_names = root.texts_or_none("profiler_names")};
  if (root.has("elementwise_bandwidth"))
    file.device.elementwise = root.bandwidth_text("elementwise_bandwidth");
  if (auto law = root.object_if("law"))
    file.law = read_law(*std::move(law));
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
