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
  std::string file{};
  std::size_t line = 0;
  std::string set, model, gpu, recompute, attention, sharding, precision;
  std::uint32_t layers = 0, hidden = 0, ffn = 0, heads = 0, kv_heads = 0, seq = 0, vocab = 0;
  std::uint32_t experts = 1, top_k = 1;
  std::uint32_t gpus = 1, gpus_per_node = 1;
  std::uint32_t tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1, virtual_stages = 1;
  std::optional<std::uint32_t> micro_batch;  ///< None: not stated.
  std::uint32_t global_batch = 1;
  std::optional<bool> gated;              ///< MLPs of three matrices, no biases. None: not stated,
  std::optional<bool> tied;               ///< as for the head that uses the embedding's matrix,
  std::optional<bool> learned_positions;  ///< and for a vector for each position.
  Seconds measured{};
};

/// A row that cannot be used, and why.
struct RejectedRow {
  std::string file;
  std::size_t line = 0;
  std::string reason;  ///< "sharding: expected none, zero0 to zero3, .., found \"zero4\""
};

/// A table of measured layouts.
struct LayoutTable {
  std::vector<MeasuredLayout> rows;
  std::vector<RejectedRow> rejected;
};

/// Reads a table with a head line of column names and commas between values, which may stand in
/// double quotes; lines that begin with # are comments. Columns: set, model, layers, hidden, ffn,
/// heads, kv_heads, seq, vocab, gpu, gpus, gpus_per_node, tp, pp, dp, micro_batch, global_batch,
/// recompute, attention, sharding, precision, seconds; may also have cp, ep, experts, top_k,
/// virtual_stages, gated and tied (yes or no), positions (learned, or rotary, alibi, relative or
/// none), and metric, value and framework, which are checked alone; others are ignored. An empty
/// recompute, attention, sharding, gated, tied or positions is not stated.
///
/// A row of which a value is not known is rejected, and the others are read. Throws InputError
/// naming the file, and the line if it has one, for what is no such table: without a column that
/// must be there or with one twice, or with a row of another number of values.
LayoutTable read_cases(const std::filesystem::path& path);
LayoutTable parse_cases(std::string_view text, const std::string& origin);

}  // namespace stepcast
