#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "stepcast-blocks";
constexpr std::uint32_t kMost = 1'000'000'000;
constexpr std::array kParts{ModelPart::Block, ModelPart::ExpertBlock, ModelPart::Embedding,
                            ModelPart::Head};

ModelPart part_of(ObjectReader& row) {
  const std::string text = row.text_or("part", "block");
  for (const ModelPart part : kParts)
    if (text == name_of(part))
      return part;
  row.fail("part", fmt::format("expected block, expert-block, embedding or head, found {}",
                               in_quotes(text)));
}

Recompute recompute_of(ObjectReader& row) {
  const std::string text = row.text_or("recompute", "none");
  if (const auto found = find_recompute(text))
    return *found;
  row.fail("recompute", fmt::format("expected none, selective or full, found {}", in_quotes(text)));
}

// Of one rank there are none; of several the file has to say.
bool messages_of(ObjectReader& row, const MeasuredPart& part) {
  const bool several = part.tensor * part.context * part.expert > 1;
  const std::string text = several ? row.text("messages") : row.text_or("messages", "outside");
  if (text != "inside" && text != "outside")
    row.fail("messages",
             fmt::format("expected inside (the times hold the part's own collectives) or outside "
                         "(they do not), found {}",
                         in_quotes(text)));
  return several && text == "inside";
}

void read_times(ObjectReader& row, MeasuredPart& part) {
  part.forward = row.time_above_zero("forward_s");
  const bool in_halves = row.has("input_gradient_s") || row.has("weight_gradient_s");
  if (in_halves && row.has("backward_s"))
    row.fail("backward_s", "expected input_gradient_s and weight_gradient_s, or their sum alone");
  if (!in_halves) {
    part.backward = row.seconds("backward_s");
    return;
  }
  part.weight_gradient = row.seconds("weight_gradient_s");
  part.backward = row.seconds("input_gradient_s") + *part.weight_gradient;
}

MeasuredPart read_row(ObjectReader& row) {
  MeasuredPart part{
      .part = part_of(row),
      .micro_batch = row.count_up_to("micro_batch", 1, kMost),
      .seq = row.count_up_to("seq", 1, kMost),
      .tensor = row.count_up_to_or("tp", 1, kMost, 1),
      .context = row.count_up_to_or("cp", 1, kMost, 1),
      .expert = row.count_up_to_or("ep", 1, kMost, 1),
      .sequence_parallel = row.flag_or("sequence_parallel", false),
      .recompute = recompute_of(row),
  };
  part.with_messages = messages_of(row, part);
  read_times(row, part);
  row.finish();
  return part;
}

bool was_run_alike(const MeasuredPart& a, const MeasuredPart& b) {
  const TransformerShard as_b = shard_of(b, {});
  return a.part == b.part && a.with_messages == b.with_messages &&
         is_as_measured(a, as_b, b.seq, b.recompute);
}

std::map<std::string, std::string> read_shape(ObjectReader& root) {
  ObjectReader shape = root.object("shape");
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : read_key_values(root.raw("shape"), shape)) {
    if (key == "layers" || key == "seq" || key == "tied")
      shape.fail(key, "expected keys of a block's shape: hidden, heads, ffn, ...");
    try {
      shape_text({}, key);
    } catch (const InputError& error) {
      shape.fail(key, error.what());
    }
    values[key] = value;
  }
  for (const char* key : {"hidden", "heads"})
    if (!values.contains(key))
      shape.fail(key, "missing: whose block was measured");
  return values;
}

ordered_json row_json(const MeasuredPart& row) {
  ordered_json json{{"part", name_of(row.part)},
                    {"micro_batch", row.micro_batch},
                    {"seq", row.seq},
                    {"tp", row.tensor},
                    {"cp", row.context},
                    {"ep", row.expert}};
  json["sequence_parallel"] = row.sequence_parallel;
  json["recompute"] = name_of(row.recompute);
  json["messages"] = row.with_messages ? "inside" : "outside";
  json["forward_s"] = row.forward.value;
  if (!row.weight_gradient) {
    json["backward_s"] = row.backward.value;
    return json;
  }
  json["input_gradient_s"] = (row.backward - *row.weight_gradient).value;
  json["weight_gradient_s"] = row.weight_gradient->value;
  return json;
}

}  // namespace

MeasuredParts read_measured_parts(const std::filesystem::path& path) {
  return parse_measured_parts(read_text_file(path), path.string());
}

MeasuredParts parse_measured_parts(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, kFormat);
  MeasuredParts measured{.device = root.text("device"),
                         .shape = read_shape(root),
                         .provenance = read_provenance(root.object("provenance"))};
  for (ObjectReader& reader : root.objects("rows")) {
    const MeasuredPart row = read_row(reader);
    for (const MeasuredPart& other : measured.rows)
      if (was_run_alike(row, other))
        reader.fail("part", fmt::format("expected each way to run it once, found the {} twice ({})",
                                        name_of(row.part), describe(row)));
    measured.rows.push_back(row);
  }
  if (measured.rows.empty())
    root.fail("rows", "expected at least one row");
  root.finish();
  return measured;
}

std::string to_json_text(const MeasuredParts& measured) {
  ordered_json json{{"format", kFormat}, {"version", 1}, {"device", measured.device}};
  for (const auto& [key, value] : measured.shape)
    json["shape"][key] = value_json(value);
  json["provenance"] = provenance_json(measured.provenance);
  for (const MeasuredPart& row : measured.rows)
    json["rows"].push_back(row_json(row));
  return json.dump(2) + "\n";
}

std::optional<std::string> difference_of_shape(const MeasuredParts& measured,
                                               const Transformer& shape) {
  for (const auto& [key, value] : measured.shape)
    if (shape_text(shape, key) != value)
      return fmt::format("{}: expected {}, as in the model, found {}", key, shape_text(shape, key),
                         in_quotes(value));
  return std::nullopt;
}

}  // namespace stepcast
