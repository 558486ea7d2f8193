#include "traces/readers/stepcast/transformers/profiled_block.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/workload/transformer/presets.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/readers/stepcast/transformers/measured_parts_file.hpp"
#include "traces/readers/stepcast/transformers/transformer_values.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

constexpr std::array kRowKeys{"part", "micro_batch", "seq",       "tp",
                              "cp",   "ep",          "recompute", "sequence_parallel"};
constexpr std::array kShapeKeys{"hidden", "heads", "kv_heads", "ffn", "gated"};

void add_preset(const std::string& model, ordered_json& shape, ordered_json& row) {
  const auto preset = find_transformer(model);
  if (!preset)
    throw InputError(
        fmt::format("model: expected a preset, such as llama-2-7b, found {}", in_quotes(model)));
  for (const char* key : kShapeKeys)
    shape[key] = value_json(shape_text(*preset, key));
  row["seq"] = preset->seq;
}

}  // namespace

MeasuredParts measured_parts_of(const Workload& profile, const KeyValues& how) try {
  ordered_json shape = ordered_json::object();
  ordered_json row{{"messages", "outside"}};
  double blocks = 1;
  for (const auto& [key, value] : how)
    if (key == "model")
      add_preset(value, shape, row);
  for (const auto& [key, value] : how)
    if (key == "blocks")
      blocks = parse_count(value, 1);
    else if (std::ranges::find(kRowKeys, key) != kRowKeys.end())
      row[key] = value_json(value);
    else if (key != "model")
      shape[key] = value_json(value);
  row["forward_s"] = forward_time(profile).value / blocks;
  row["backward_s"] = backward_time(profile).value / blocks;
  const ordered_json file{{"format", "stepcast-blocks"},
                          {"version", 1},
                          {"device", profile.device},
                          {"shape", shape},
                          {"provenance", provenance_json(profile.provenance)},
                          {"rows", ordered_json::array({row})}};
  return parse_measured_parts(file.dump(), "--block");
} catch (const InputError& error) {
  const std::string what = error.what();
  throw InputError(what.starts_with("--block: ") ? what : "--block: " + what);
}

}  // namespace stepcast
