#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A measured step of a transformer on a layout: a row of a table of such.
struct MeasuredLayout {
  std::size_t line = 0;
  std::string set, model, gpu, recompute, attention, sharding, precision;
  std::uint32_t layers = 0, hidden = 0, ffn = 0, heads = 0, kv_heads = 0, seq = 0, vocab = 0;
  std::uint32_t experts = 1, top_k = 1;
  std::uint32_t gpus = 1, gpus_per_node = 1;
  std::uint32_t tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1, virtual_stages = 1;
  std::optional<std::uint32_t> micro_batch;  ///< None: not stated.
  std::uint32_t global_batch = 1;
  Seconds measured{};
};

/// Reads a table with a head line of column names and commas between values, which may stand in
/// double quotes; lines that begin with # are comments. Columns: set, model, layers, hidden, ffn,
/// heads, kv_heads, seq, vocab, gpu, gpus, gpus_per_node, tp, pp, dp, micro_batch, global_batch,
/// recompute, attention, sharding, precision, seconds; may also have cp, ep, experts, top_k,
/// virtual_stages, and metric, value and framework, which are checked alone; others are ignored.
/// An empty recompute, attention or sharding is not stated. Throws InputError naming file, line and
/// column.
std::vector<MeasuredLayout> read_cases(const std::filesystem::path& path);
std::vector<MeasuredLayout> parse_cases(std::string_view text, const std::string& origin);

}  // namespace stepcast
