#include "traces/formats/stepcast/results/results_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

WrittenResult read_result(ObjectReader& item) {
  WrittenResult result{.workload = item.text("workload"),
                       .cluster = item.text("cluster"),
                       .nodes = item.count("nodes", 1),
                       .gpus_per_node = item.count("gpus_per_node", 1),
                       .batch = item.count("batch", 1),
                       .fidelity = item.text("fidelity"),
                       .combination = item.texts_by_name_or_none("combination"),
                       .iteration_time = item.time_above_zero("iteration_time_s")};
  ObjectReader schedule = item.object("schedule");
  result.schedule = schedule.text("name");
  result.options = schedule.texts_by_name_or_none("options");
  return result;
}

}  // namespace

std::vector<WrittenResult> read_results(const std::filesystem::path& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  const bool is_object = json.is_object();
  if (!is_object || (!json.contains("results") && !json.contains("iteration_time_s")))
    throw InputError(fmt::format(
        "{}: expected what stepcast run --json or compare --json prints, found {}", path.string(),
        is_object ? "an object without iteration_time_s or results" : json.type_name()));
  ObjectReader root(json, path.string());
  if (!root.has("results"))
    return {read_result(root)};
  std::vector<WrittenResult> results;
  for (ObjectReader& item : root.objects("results"))
    results.push_back(read_result(item));
  if (results.empty())
    root.fail("results", "expected at least one, found none");
  return results;
}

}  // namespace stepcast
