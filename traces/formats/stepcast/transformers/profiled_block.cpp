#include "traces/formats/stepcast/transformers/profiled_block.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"
#include "models/workload/transformer/presets.hpp"
#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"
#include "traces/json/provenance_json.hpp"

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

/// What a step of `blocks` x `micro_batches` passes takes, and what is known of where.
struct TimedBlocks {
  std::string device;
  Provenance provenance;
  Seconds forward{};
  Seconds backward{};
  bool with_messages = false;
  double blocks = 1;  ///< Unless the user says.
};

MeasuredParts row_of(TimedBlocks timed, const KeyValues& how) {
  ordered_json shape = ordered_json::object();
  ordered_json row{{"messages", timed.with_messages ? "inside" : "outside"}};
  double passes = 1;
  for (const auto& [key, value] : how)
    if (key == "model")
      add_preset(value, shape, row);
  for (const auto& [key, value] : how)
    if (key == "blocks" && !timed.with_messages)
      timed.blocks = parse_count(value, 1);
    else if (key == "micro_batches")
      passes = parse_count(value, 1);
    else if (std::ranges::find(kRowKeys, key) != kRowKeys.end())
      row[key] = value_json(value);
    else if (key != "model" && key != "blocks")
      shape[key] = value_json(value);
  row["forward_s"] = timed.forward.value / (timed.blocks * passes);
  row["backward_s"] = timed.backward.value / (timed.blocks * passes);
  const ordered_json file{{"format", "stepcast-blocks"},
                          {"version", 1},
                          {"device", timed.device},
                          {"shape", shape},
                          {"provenance", provenance_json(timed.provenance)},
                          {"rows", ordered_json::array({row})}};
  return parse_measured_parts(file.dump(), "--block");
}

/// "24", or of two logs "24-2".
std::vector<double> blocks_of_logs(const KeyValues& how, std::size_t logs) {
  const auto find = [&](const char* wanted) {
    const auto found = std::ranges::find(how, wanted, [](const auto& each) { return each.first; });
    if (found == how.end())
      throw InputError(fmt::format("{}: expected with Megatron-LM's timers, found none", wanted));
    return found->second;
  };
  find("micro_batches");
  const std::string text = find("blocks");
  std::vector<double> blocks;
  for (const std::string_view each : split(text, '-'))
    blocks.push_back(static_cast<double>(parse_count(std::string(each), 1)));
  if (blocks.size() != logs || (logs == 2 && blocks[0] <= blocks[1]))
    throw InputError(fmt::format(
        "blocks: expected {}, found {}",
        logs == 1 ? "how many a rank holds, such as 24" : "those of both logs, such as 24-2",
        text));
  return blocks;
}

template <typename Make>
MeasuredParts naming_the_option(Make make) try {
  return make();
} catch (const InputError& error) {
  const std::string what = error.what();
  throw InputError(what.starts_with("--block: ") ? what : "--block: " + what);
}

}  // namespace

MeasuredParts measured_parts_of(const Workload& profile, const KeyValues& how) {
  return naming_the_option([&] {
    return row_of({.device = profile.device,
                   .provenance = profile.provenance,
                   .forward = forward_time(profile),
                   .backward = backward_time(profile)},
                  how);
  });
}

MeasuredParts measured_parts_of(const std::vector<MegatronTimers>& logs, const std::string& device,
                                const Provenance& provenance, const KeyValues& how) {
  return naming_the_option([&] {
    const std::vector<double> blocks = blocks_of_logs(how, logs.size());
    TimedBlocks timed{.device = device,
                      .provenance = provenance,
                      .forward = logs[0].forward,
                      .backward = logs[0].backward,
                      .with_messages = true,
                      .blocks = blocks[0]};
    timed.provenance.method =
        logs.size() == 1
            ? fmt::format(
                  "medians of {} logged intervals, over {} blocks: embedding and head count "
                  "as theirs",
                  logs[0].intervals, blocks[0])
            : fmt::format(
                  "medians of {} and {} logged intervals: the difference of {} and {} blocks",
                  logs[0].intervals, logs[1].intervals, blocks[0], blocks[1]);
    if (logs.size() == 2) {
      timed.forward -= logs[1].forward;
      timed.backward -= logs[1].backward;
      timed.blocks -= blocks[1];
      if (timed.forward <= Seconds{} || timed.backward <= Seconds{})
        throw InputError("blocks: expected more blocks to take longer, found the opposite");
    }
    return row_of(std::move(timed), how);
  });
}

}  // namespace stepcast
