#include "traces/formats/stepcast/device_costs_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

CompressionCosts parse_compression_costs(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-compression-costs");
  root.text("device");
  CompressionCosts costs{.exact = {root.number("exact_s_per_x_log2_x", 0)},
                         .search_rounds = root.number("search_rounds", 1),
                         .sample = root.part("sample"),
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

namespace {

/// Reads points and checks that their sides ascend.
template <class Point, class Read>
std::vector<Point> read_points(ObjectReader& root, std::string_view key, Read read) {
  std::vector<Point> points;
  for (ObjectReader& item : root.objects(key)) {
    const std::uint32_t side = item.count_up_to("side", 1, 1U << 20U);
    if (!points.empty() && side <= points.back().side)
      item.fail("side", fmt::format("expected more than {}, the side before, found {}",
                                    points.back().side, side));
    points.push_back({side, read(item)});
    item.finish();
  }
  if (points.empty())
    root.fail(key, "expected at least one point, found none");
  return points;
}

}  // namespace

KfacCosts parse_kfac_costs(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-kfac-costs");
  root.text("device");
  KfacCosts costs{
      .products = read_points<RatePoint>(
          root, "products",
          [](ObjectReader& item) { return FlopsPerSecond{item.above_zero("tflops") * 1e12}; }),
      .product_launch = root.time_text("product_launch"),
      .factor_launch = root.time_text("factor_launch"),
      .unfold_passes = root.number("unfold_passes", 0),
      .average_passes = root.number("average_passes", 0),
      .packing_passes = root.number("packing_passes", 0),
      .unpacking_passes = root.number("unpacking_passes", 0),
      .inverses = read_points<InversePoint>(
          root, "inverses", [](ObjectReader& item) { return Seconds{item.above_zero("time_s")}; }),
      .inverse_launch = root.time_text("inverse_launch"),
      .inverse_passes = root.number("inverse_passes", 0),
      .precondition_launch = root.time_text("precondition_launch"),
      .memory_bandwidth = root.bandwidth_text("memory_bandwidth"),
      .provenance = read_provenance(root.object("provenance"))};
  root.finish();
  return costs;
}

KfacCosts read_kfac_costs(const std::filesystem::path& path) {
  return parse_kfac_costs(read_text_file(path), path.string());
}

}  // namespace stepcast
