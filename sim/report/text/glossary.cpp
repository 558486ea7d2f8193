#include "sim/report/text/glossary.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/render.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

std::vector<Term> read_terms() {
  const std::string path = (data_root() / "configs/glossary.json").string();
  const nlohmann::json json = parse_json(read_text_file(path), path);
  ObjectReader root(json, path);
  read_format_header(root, "stepcast-glossary");
  std::vector<Term> terms;
  for (ObjectReader& term : root.objects("terms")) {
    terms.push_back({term.text("name"), term.text("also"), term.text("definition")});
    term.finish();
  }
  root.finish();
  return terms;
}

std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool lists(std::string_view names, const std::string& wanted) {
  while (!names.empty()) {
    const std::size_t comma = names.find(", ");
    if (plain(names.substr(0, comma)) == wanted)
      return true;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 2);
  }
  return false;
}

const Term* among(std::span<const Term> terms, const std::string& wanted) {
  const auto it = std::ranges::find_if(terms, [&wanted](const Term& term) {
    return plain(term.name) == wanted || lists(term.also, wanted);
  });
  return it == terms.end() ? nullptr : &*it;
}

/// Adds what the properties of a schema say of themselves, at any depth.
void add_described(const nlohmann::json& schema, const std::string& file,
                   std::vector<Term>& terms) {
  if (schema.is_object() && schema.contains("properties"))
    for (const auto& [key, property] : schema["properties"].items()) {
      if (!property.is_object() || !property.contains("description"))
        continue;
      const std::string text =
          fmt::format("in {}: {}", file, property["description"].get<std::string>());
      const auto known = std::ranges::find(terms, key, &Term::name);
      if (known == terms.end())
        terms.push_back({key, "", text});
      else if (known->definition.find(text) == std::string::npos)
        known->definition += " " + text;
    }
  if (schema.is_structured())
    for (const nlohmann::json& inner : schema)
      add_described(inner, file, terms);
}

/// The keys of files and of --json that need no word here, as their schemas describe them.
std::vector<Term> described_keys() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_root() / "configs/schema"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Term> terms;
  for (const std::filesystem::path& path : files) {
    const std::string name = path.filename().string();
    const std::string schema = name.substr(0, name.find('.'));
    add_described(parse_json(schema_text(schema), path.string()), schema, terms);
  }
  return terms;
}

/// Fields of a forecast whose labels the glossary leaves to their table.
std::vector<Term> fields_with_labels() {
  std::vector<Term> terms;
  for (const ForecastField& field : forecast_fields())
    for (const char* name : {field.label, field.heading})
      if (*name != '\0' && *field.meaning != '\0')
        terms.push_back({name, field.key, field.meaning});
  return terms;
}

void add_options(const std::string& schedule, const std::vector<OptionInfo>& options,
                 std::vector<Term>& terms) {
  for (const OptionInfo& option : options)
    if (std::ranges::find(terms, option.name, &Term::name) == terms.end())
      terms.push_back({option.name, "",
                       fmt::format("an option of {} (--set {}={}): {}", schedule, option.name,
                                   option.default_value, option.meaning)});
}

/// Schedules, presets and their options, as they describe themselves.
std::vector<Term> named_in_schedules() {
  std::vector<Term> terms;
  for (const auto* list : {&all_schedules(), &preset_schedules()})
    for (const ScheduleInfo& schedule : *list)
      terms.push_back({schedule.name, "",
                       fmt::format("a {}schedule: {} (stepcast show {})",
                                   schedule.partitions_model() ? "model-parallel " : "",
                                   schedule.summary, schedule.name)});
  for (const ScheduleInfo& schedule : all_schedules())
    add_options(schedule.name, schedule.options, terms);
  return terms;
}

/// Returns the patterns that are taken out of a label one after the other until it is a term. What
/// a pattern captures stays.
const std::vector<std::regex>& shortenings() {
  static const std::vector<std::regex> steps = [] {
    std::vector<std::regex> made;
    for (const char* step : {R"( \(.*)", "^every ", "^waiting for ", "^.*? x .*?b/s ", ": .*",
                             ", .*", " of .*", " on .*", "^[0-9]+ ", " [0-9]+$", " ms$",
                             R"(^cluster\.)", R"(^.*[a-z]\.(?=[a-z]))", "^(.{3,})s$"})
      made.emplace_back(step);
    return made;
  }();
  return steps;
}

/// Forms of a label in the order in which the glossary is asked for them. The NIC is found for
/// "every NIC (16 alike)" and "every 8 x 25 Gb/s NIC (2 alike)", exposed communication for "exposed
/// communication: send", a group for "group 0", GPUs for "64 GPUs ms", a schedule for "bsp ms",
/// broadcasts for "10 broadcasts", the partner for "waiting for a partner", bandwidth for
/// "nic.bandwidth" (while "2.5" stays).
std::vector<std::string> words_in(std::string_view label) {
  constexpr std::size_t kLongest = 200;  // no label is longer
  std::vector<std::string> words{plain(label)};
  if (label.size() > kLongest)
    return words;
  for (const std::regex& step : shortenings()) {
    std::string shorter = std::regex_replace(words.back(), step, "$1");
    shorter.erase(shorter.find_last_not_of(' ') + 1);
    if (shorter != words.back() && !shorter.empty())
      words.push_back(std::move(shorter));
  }
  return words;
}

}  // namespace

std::span<const Term> all_terms() {
  static const std::vector<Term> terms = read_terms();
  return terms;
}

const Term* find_term(std::string_view name) {
  static const std::vector<Term> schedules = named_in_schedules();
  static const std::vector<Term> keys = described_keys();
  static const std::vector<Term> fields = fields_with_labels();
  for (const std::string& wanted : words_in(name))
    for (const std::span<const Term> terms :
         {all_terms(), std::span<const Term>(schedules), std::span<const Term>(keys),
          std::span<const Term>(fields)})
      if (const Term* term = among(terms, wanted))
        return term;
  return nullptr;
}

std::vector<std::string> printed_columns() {
  std::vector<std::string> names = names_of_fields();
  for (const char* heading : {"breakdown", "share", "iteration", "communication", "busy ms",
                              "memory per GPU", "MiB", "workers", "in an iteration"})
    names.emplace_back(heading);
  std::ranges::move(breakdown_labels(), std::back_inserter(names));
  std::ranges::move(names_of_run(), std::back_inserter(names));
  return names;
}

}  // namespace stepcast
