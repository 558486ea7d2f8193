#include "traces/readers/stepcast/compression_costs_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/format_header.hpp"

namespace stepcast {
namespace {

/// A part of something: above 0, at most 1.
double read_part(ObjectReader& reader, std::string_view key) {
  const double value = reader.number(key, 0);
  if (value <= 0 || value > 1)
    reader.fail(key, fmt::format("expected a number above 0 and at most 1, found {}", value));
  return value;
}

}  // namespace

CompressionCosts parse_compression_costs(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-compression-costs");
  root.text("device");
  CompressionCosts costs{.exact = {root.number("exact_s_per_x_log2_x", 0)},
                         .search_rounds = root.number("search_rounds", 1),
                         .sample = read_part(root, "sample"),
                         .fit_passes = root.number("fit_passes", 0),
                         .pick_passes = root.number("pick_passes", 0),
                         .feedback_passes = root.number("feedback_passes", 0),
                         .scatter_traffic = {root.number("scatter_bytes_per_entry", 0)},
                         .low_rank_passes = root.number("low_rank_passes", 0),
                         .launch = root.time_text("launch"),
                         .memory_bandwidth = root.bandwidth_text("memory_bandwidth"),
                         .provenance = read_provenance(root.object("provenance"))};
  root.finish();
  return costs;
}

CompressionCosts read_compression_costs(const std::filesystem::path& path) {
  return parse_compression_costs(read_text_file(path), path.string());
}

}  // namespace stepcast
