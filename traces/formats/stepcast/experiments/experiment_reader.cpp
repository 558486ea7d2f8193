#include "traces/formats/stepcast/experiments/experiment_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/named_files.hpp"

namespace stepcast {
namespace {

/// Returns a name as it is, and a path so that it counts from the folder of the file.
std::string named_at(ObjectReader& root, std::string_view key, const std::string& value,
                     const std::string& file) try {
  return named_in(file, value);
} catch (const InputError& error) {
  root.fail(key, error.what());
}

/// The key under which names are given: `schedule` for one, `schedules` for several.
std::string key_of(const ObjectReader& root, const std::string& key) {
  return root.has(key + "s") ? key + "s" : key;
}

/// The names under exactly one of the two keys.
std::vector<std::string> read_names(ObjectReader& root, const std::string& key) {
  const std::string several = key + "s";
  std::vector<std::string> names = root.texts_or_none(several);
  if (!root.has(several))
    names = {root.name(key)};
  else if (root.has(key))
    root.fail(key, fmt::format("give either \"{}\" or \"{}\", not both", key, several));
  if (names.empty() || std::ranges::find(names, "") != names.end())
    root.fail(several, "expected at least one name and none empty");
  return names;
}

/// Reads the names of files as read_names() does. `one` becomes the first name. `several` becomes
/// all names, or stays empty where there is one.
void read_named(ObjectReader& root, const std::string& key, const std::string& file,
                std::string& one, std::vector<std::string>& several) {
  std::vector<std::string> names = read_names(root, key);
  for (std::string& name : names)
    name = named_at(root, key_of(root, key), name, file);
  one = names.front();
  if (names.size() > 1)
    several = std::move(names);
}

/// One of three words; empty where the key is missing.
std::string read_word(ObjectReader& root, std::string_view key,
                      const std::array<std::string_view, 3>& words) {
  const std::string word = root.text_or(key, "");
  if (root.has(key) && std::ranges::find(words, word) == words.end())
    root.fail(key, fmt::format("expected \"{}\", \"{}\" or \"{}\", found {}", words[0], words[1],
                               words[2], in_quotes(word)));
  return word;
}

/// Adds a setting given under `field`; errors name the field.
void add_field(Settings& settings, const ObjectReader& root, std::string_view field,
               std::string_view key, std::string_view value) try {
  add_setting(settings, key, value);
} catch (const InputError& error) {
  root.fail(field, error.what());
}

bool names_a_file(std::string_view key) {
  return key == "second_workload" || key == "cluster.collectives";
}

void read_set(ObjectReader& root, Settings& settings, const std::string& file) {
  if (!root.object_if("set"))
    return;
  for (const auto& [key, value] : root.raw("set").items()) {
    // Keys are the user's: one with a line break must not break the message.
    const bool plain = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
    const std::string field = "set/" + (plain ? key : in_quotes(key));
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      root.fail(field, "expected a string such as \"25MiB\" or \"8\"");
    const auto text = value.get<std::string>();
    add_field(settings, root, field, key,
              names_a_file(key) ? named_at(root, field, text, file) : text);
  }
}

void read_size(ObjectReader& root, Settings& settings, std::string_view key) {
  const std::uint64_t count = root.count_or(key, 1, 0);
  if (count != 0)
    add_field(settings, root, key, fmt::format("cluster.{}", key), std::to_string(count));
}

}  // namespace

Experiment read_experiment_fields(ObjectReader& object, const std::string& file) {
  Experiment experiment;
  read_named(object, "workload", file, experiment.workload, experiment.workloads);
  read_named(object, "cluster", file, experiment.cluster, experiment.clusters);
  experiment.schedules = read_names(object, "schedule");
  experiment.fidelity = read_word(object, "fidelity", {"analytic", "flow", "step"});
  experiment.engine = read_word(object, "engine", {"auto", "simgrid", "own"});
  read_set(object, experiment.settings, file);
  read_size(object, experiment.settings, "nodes");
  read_size(object, experiment.settings, "gpus_per_node");
  return experiment;
}

Experiment parse_experiment(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-experiment");
  root.text_or("description", "");  // For the reader of the file.
  Experiment experiment = read_experiment_fields(root, origin);
  root.finish();
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& path) {
  return parse_experiment(read_text_file(path), path.string());
}

}  // namespace stepcast
