#include "traces/readers/stepcast/results/results_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

std::map<std::string, std::string> texts_of(ObjectReader& item, std::string_view key) {
  std::map<std::string, std::string> texts;
  if (!item.has(key))
    return texts;
  const nlohmann::json& json = item.raw(key);
  if (!json.is_object())
    item.fail(key, "expected an object of texts");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string())
      item.fail(key, fmt::format("expected text for {}", in_quotes(name)));
    texts[name] = value.get<std::string>();
  }
  return texts;
}

WrittenResult read_result(ObjectReader& item) {
  WrittenResult result{.workload = item.text("workload"),
                       .cluster = item.text("cluster"),
                       .nodes = item.count("nodes", 1),
                       .gpus_per_node = item.count("gpus_per_node", 1),
                       .batch = item.count("batch", 1),
                       .fidelity = item.text("fidelity"),
                       .combination = texts_of(item, "combination"),
                       .iteration_time = item.seconds("iteration_time_s")};
  ObjectReader schedule = item.object("schedule");
  result.schedule = schedule.text("name");
  result.options = texts_of(schedule, "options");
  if (result.iteration_time == Seconds{})
    item.fail("iteration_time_s", "expected a time above 0, found 0");
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
