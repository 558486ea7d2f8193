#include "sim/search/plan/checked_errors.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "traces/catalog.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

std::vector<double> ascending(ObjectReader& reader, const char* key) {
  const nlohmann::json& json = reader.raw(key);
  std::vector<double> values;
  for (const nlohmann::json& each : json)
    if (each.is_number())
      values.push_back(each.get<double>());
  if (!json.is_array() || values.size() != json.size() || values.size() < 2 ||
      !std::ranges::is_sorted(values) || values.front() < 0)
    reader.fail(key, "expected at least two ascending numbers from 0 on");
  return values;
}

}  // namespace

std::vector<CheckedErrors> load_checked_errors() {
  return read_checked_errors(data_root() / "configs/errors.json");
}

std::vector<CheckedErrors> read_checked_errors(const std::filesystem::path& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  ObjectReader root(json, path.string());
  read_format_header(root, "stepcast-errors");
  read_provenance(root.object("provenance"));
  std::vector<CheckedErrors> all;
  for (ObjectReader& family : root.objects("families")) {
    CheckedErrors errors{.family = family.text("family"), .cases = family.count("cases", 1)};
    errors.shares = ascending(family, "shares");
    errors.ratios = ascending(family, "measured_over_forecast");
    if (errors.shares.size() != errors.ratios.size())
      family.fail("shares", "expected as many as measured_over_forecast has");
    family.finish();
    all.push_back(std::move(errors));
  }
  root.finish();
  return all;
}

double chance_within(const CheckedErrors& errors, double ratio) {
  const auto above = std::ranges::upper_bound(errors.ratios, ratio);
  if (above == errors.ratios.begin())
    return 0;
  if (above == errors.ratios.end())
    return 1;
  const auto i = static_cast<std::size_t>(above - errors.ratios.begin());
  const double part = (ratio - errors.ratios[i - 1]) / (errors.ratios[i] - errors.ratios[i - 1]);
  return errors.shares[i - 1] + part * (errors.shares[i] - errors.shares[i - 1]);
}

}  // namespace stepcast
