#include "traces/formats/stepcast/goal_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolder = "traces/published/goals";

std::optional<double> find_amount(ObjectReader& item, std::string_view key) {
  return item.has(key) ? std::optional(item.above_zero(key)) : std::nullopt;
}

Attempt read_attempt(ObjectReader& item) {
  Attempt attempt{.schedule = item.text("schedule"),
                  .options = item.texts_by_name_or_none("options"),
                  .epochs = find_amount(item, "epochs"),
                  .iterations = find_amount(item, "iterations"),
                  .provenance = read_provenance(item.object("provenance"))};
  attempt.label = item.text_or("label", attempt.schedule);
  if (attempt.epochs.has_value() == attempt.iterations.has_value())
    item.fail("epochs", "expected either epochs or iterations");
  item.finish();
  return attempt;
}

}  // namespace

Goal parse_goal(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-goal");
  Goal goal{.name = root.text("name"),
            .target = root.text("target"),
            .model = root.text_or("model", ""),
            .samples = root.count_or("samples", 1, 0)};
  for (ObjectReader& item : root.objects("attempts")) {
    goal.attempts.push_back(read_attempt(item));
    if (goal.attempts.back().epochs && goal.samples == 0)
      root.fail("samples", "expected the samples of an epoch, as an attempt counts epochs");
  }
  if (goal.attempts.empty())
    root.fail("attempts", "expected at least one, found none");
  root.finish();
  return goal;
}

std::vector<std::string> goal_names() {
  return names_in(kFolder, ".json");
}

fs::path find_goal(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  const std::vector<std::string> names = goal_names();
  if (!is_path && std::ranges::find(names, name) == names.end())
    throw InputError(fmt::format("unknown goal {}: expected one of {}, or a file{}",
                                 in_quotes(name), fmt::join(names, ", "),
                                 did_you_mean(name, names)));
  return is_path ? fs::path(name) : data_root() / kFolder / (name + ".json");
}

Goal load_goal(const std::string& name) {
  const fs::path path = find_goal(name);
  return parse_goal(read_text_file(path), path.string());
}

}  // namespace stepcast
