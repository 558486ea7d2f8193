#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/ranges.hpp"
#include "models/schedule/list/registry.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

struct Number {
  const char* key;
  std::uint32_t RecordedPipeline::*field;
};
constexpr std::array<Number, 5> kNumbers = {{{"stages", &RecordedPipeline::stages},
                                             {"micro_batches", &RecordedPipeline::micro_batches},
                                             {"copies", &RecordedPipeline::copies},
                                             {"tensor", &RecordedPipeline::tensor},
                                             {"context", &RecordedPipeline::context}}};

constexpr const char* kWhole = "whole";
constexpr const char* kShared = "shared";

Bytes read_bytes(ObjectReader& reader, const char* key) {
  const Bytes bytes{reader.number_or(key, 0, 0)};
  if (!kSizeRange.contains(bytes.value))
    reader.fail(key, fmt::format("expected {}, found {}", kSizeRange.words, bytes.value));
  return bytes;
}

Seconds read_seconds(ObjectReader& reader, const char* key) {
  const Seconds time = reader.has(key) ? reader.seconds(key) : Seconds{};
  if (time > Seconds{} && !kTimeRange.contains(time.value))
    reader.fail(key, fmt::format("expected {}, found {} s", kTimeRange.words, time.value));
  return time;
}

RecordedPart read_part(ObjectReader reader) {
  const RecordedPart part{.gathered = read_bytes(reader, "gathered_bytes"),
                          .update = read_seconds(reader, "update_s"),
                          .before_sums = read_seconds(reader, "before_sums_s"),
                          .once = read_seconds(reader, "once_s")};
  reader.finish();
  return part;
}

std::string read_schedule(ObjectReader& reader) {
  const std::string schedule = reader.text("schedule");
  const ScheduleInfo* pipeline = find_schedule(schedule);
  if (pipeline == nullptr || !pipeline->partitions_model() || pipeline->passes.of_user)
    reader.fail("schedule", fmt::format("expected a schedule that cuts the model, such as 1f1b, "
                                        "found {}",
                                        nlohmann::json(schedule).dump()));
  return schedule;
}

Bytes gradients_of(const Layer& layer) {
  double elements = 0;
  for (const Parameter& parameter : layer.parameters)
    elements += static_cast<double>(parameter.elements);
  return size_of(DataType::Float32) * elements;
}

/// Where one of the two parts tells its gradients: those of one copy were not added up, so that
/// none are known.
Bytes read_tied(ObjectReader& reader, const std::vector<Layer>& layers) {
  const Bytes tied = read_bytes(reader, "tied_bytes");
  const Bytes most = gradients_of(layers.front()) + gradients_of(layers.back());
  if (most > Bytes{} && tied > most)
    reader.fail("tied_bytes",
                fmt::format("expected at most {:.0f}, the bytes of gradients of parts 0 and {} "
                            "together, of which they are a part, found {}",
                            most.value, layers.size() - 1, tied.value));
  return tied;
}

}  // namespace

RecordedPipeline read_pipeline(ObjectReader reader, const std::vector<Layer>& layers) {
  constexpr std::uint32_t kMost = 65536;
  RecordedPipeline pipeline;
  for (const Number& number : kNumbers)
    pipeline.*number.field = reader.count_up_to(number.key, 1, kMost);
  if (layers.size() % pipeline.stages != 0)
    reader.fail("stages", fmt::format("expected a divisor of the {} layers, found {}",
                                      layers.size(), pipeline.stages));
  pipeline.schedule = read_schedule(reader);
  const std::string optimiser = reader.text_or("optimiser", kWhole);
  if (optimiser != kWhole && optimiser != kShared)
    reader.fail("optimiser", fmt::format("expected \"{}\" or \"{}\", found {}", kWhole, kShared,
                                         shown(nlohmann::json(optimiser))));
  pipeline.shares_optimiser = optimiser == kShared;
  if (reader.has("norm_s"))
    pipeline.norm = read_seconds(reader, "norm_s");
  pipeline.tied = read_tied(reader, layers);
  for (const ObjectReader& part : reader.objects("parts"))
    pipeline.parts.push_back(read_part(part));
  if (pipeline.parts.size() != layers.size())
    reader.fail("parts", fmt::format("expected one for each of {} layers, found {}", layers.size(),
                                     pipeline.parts.size()));
  reader.finish();
  return pipeline;
}

std::string pipeline_text(const RecordedPipeline& pipeline) {
  std::vector<std::string> lines;
  for (const Number& number : kNumbers)
    lines.push_back(fmt::format(R"("{}": {})", number.key, pipeline.*number.field));
  lines.push_back(fmt::format(R"("schedule": {})", json_string(pipeline.schedule)));
  lines.push_back(
      fmt::format(R"("optimiser": "{}")", pipeline.shares_optimiser ? kShared : kWhole));
  if (pipeline.norm)
    lines.push_back(fmt::format(R"("norm_s": {})", json_number(pipeline.norm->value)));
  if (pipeline.tied > Bytes{})
    lines.push_back(fmt::format(R"("tied_bytes": {})", json_number(pipeline.tied.value)));
  std::vector<std::string> parts;
  for (const RecordedPart& part : pipeline.parts)
    parts.push_back(fmt::format(
        R"(      {{"gathered_bytes": {}, "update_s": {}, "before_sums_s": {}, "once_s": {}}})",
        json_number(part.gathered.value), json_number(part.update.value),
        json_number(part.before_sums.value), json_number(part.once.value)));
  lines.push_back(fmt::format("\"parts\": [\n{}\n    ]", fmt::join(parts, ",\n")));
  return fmt::format("{{\n    {}\n  }}", fmt::join(lines, ",\n    "));
}

}  // namespace stepcast
