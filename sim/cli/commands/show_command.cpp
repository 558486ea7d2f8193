#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/workload/transformer/presets.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/descriptions.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

/// A kind of file: what its "format" says, the names of the shipped ones, the file behind a name or
/// path, and how to describe it.
struct FileKind {
  const char* format;
  std::vector<std::string> (*names)();
  std::filesystem::path (*find)(const std::string& name);
  std::string (*describe)(const std::string& name);
};

template <CatalogKind Kind>
FileKind in_catalog(const char* format, std::string (*describe)(const std::string&)) {
  return {.format = format,
          .names = [] { return list_names(Kind); },
          .find = [](const std::string& name) { return find_file(Kind, name); },
          .describe = describe};
}

const std::array kFileKinds{
    in_catalog<CatalogKind::Workload>(
        "stepcast-workload",
        [](const std::string& name) { return description_of(load_workload(name)); }),
    in_catalog<CatalogKind::Cluster>(
        "stepcast-cluster",
        [](const std::string& name) { return description_of(load_cluster(name)); }),
    in_catalog<CatalogKind::Experiment>(
        "stepcast-experiment",
        [](const std::string& name) { return description_of(load_experiment(name)); }),
    in_catalog<CatalogKind::Device>("stepcast-device",
                                    [](const std::string& name) {
                                      return description_of(
                                          read_device(find_file(CatalogKind::Device, name)),
                                          find_training_law(name));
                                    }),
    in_catalog<CatalogKind::Architecture>(
        "stepcast-architecture",
        [](const std::string& name) {
          return description_of(read_architecture(find_file(CatalogKind::Architecture, name)));
        }),
    in_catalog<CatalogKind::Collectives>(
        "stepcast-collectives",
        [](const std::string& name) {
          return description_of(read_collectives(find_file(CatalogKind::Collectives, name)));
        }),
    FileKind{"stepcast-goal", goal_names, find_goal,
             [](const std::string& name) { return description_of(load_goal(name)); }}};

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

/// Finds the kind of a file by its "format".
const FileKind& kind_of_file(const std::string& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path);
  const std::string format =
      json.is_object() && json.contains("format") && json["format"].is_string()
          ? json["format"].get<std::string>()
          : "";
  const auto found = std::ranges::find(kFileKinds, format, &FileKind::format);
  if (found == kFileKinds.end())
    throw InputError(fmt::format(
        "{}: /format: expected that of a workload, cluster, experiment, device, architecture, "
        "collectives or goal, found {}",
        path, in_quotes(format)));
  return *found;
}

const FileKind* find_kind_of_name(const std::string& name) {
  if (name.starts_with("ideal-"))
    return &kFileKinds[1];
  for (const FileKind& kind : kFileKinds) {
    const std::vector<std::string> names = kind.names();
    if (std::ranges::find(names, name) != names.end())
      return &kind;
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> known;
  for (const auto* schedules : {&all_schedules(), &preset_schedules()})
    for (const ScheduleInfo& schedule : *schedules)
      known.push_back(schedule.name);
  for (const FileKind& kind : kFileKinds)
    std::ranges::move(kind.names(), std::back_inserter(known));
  std::ranges::move(transformer_names(), std::back_inserter(known));
  throw InputError(fmt::format("unknown name {} (see stepcast list){}", in_quotes(name),
                               did_you_mean(name, known)));
}

/// What it takes beside its meaning: a kind, words, and the range of numbers where it has ends.
nlohmann::ordered_json option_json(const OptionInfo& option) {
  nlohmann::ordered_json json{{"name", option.name},
                              {"default", option.default_value},
                              {"meaning", option.meaning},
                              {"kind", name_of(option.kind)}};
  if (!option.group.empty())
    json["group"] = option.group;
  if (!option.words.empty())
    json["words"] = option.words;
  if (option.kind == OptionKind::Choice || option.kind == OptionKind::Text)
    return json;
  json[option.range.above_least ? "above" : "least"] = option.range.least;
  if (option.range.most < OptionRange{}.most)
    json[option.range.below_most ? "below" : "most"] = option.range.most;
  return json;
}

std::string schedule_json(const ScheduleInfo& schedule) {
  nlohmann::ordered_json json{
      {"name", schedule.name}, {"summary", schedule.summary}, {"source", schedule.source}};
  json["options"] = nlohmann::ordered_json::array();
  for (const OptionInfo& option : schedule.options)
    json["options"].push_back(option_json(option));
  return json.dump(2) + "\n";
}

/// A transformer, and where its shape is published: a shipped model, or what a user wrote.
struct ShownTransformer {
  Transformer shape;
  std::string source;
};

std::optional<ShownTransformer> find_shown_transformer(const std::string& name) {
  if (name.starts_with(kTransformerPrefix))
    return ShownTransformer{parse_transformer_shape(name), ""};
  if (name.ends_with(".json")) {
    const auto request = find_transformer_file(name);
    return request ? std::optional(ShownTransformer{request->shape, ""}) : std::nullopt;
  }
  for (const TransformerPreset& preset : transformer_presets())
    if (preset.shape.model == name)
      return ShownTransformer{preset.shape, preset.source};
  return std::nullopt;
}

std::string transformer_json(const ShownTransformer& shown) {
  nlohmann::ordered_json json{{"name", shown.shape.model}};
  if (!shown.source.empty())
    json["source"] = shown.source;
  json["parameters"] = parameter_count(shown.shape);
  json["active_parameters"] = active_parameter_count(shown.shape);
  json["flops_per_sample"] = model_flops(shown.shape);
  for (const std::string& key : shape_keys())
    if (const std::string text = shape_text(shown.shape, key); !text.empty())
      json["shape"][key] = value_json(text);
  return json.dump(2) + "\n";
}

/// Shows one thing that has a name.
class ShowCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "With where its numbers come from. --json prints the file itself.",
            .examples = {"stepcast show dear", "stepcast show rtx2080ti-16x4-10gbe",
                         "stepcast show llama-2-70b",
                         "stepcast show transformer:model=llama-2-70b,seq=8192",
                         "stepcast show my_workload.json"}};
  }

  std::vector<CommandOption> options() override {
    return {{"NAME", "", &name_, "name (see stepcast list), transformer:.. or .json file"},
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (name_.empty())
      throw InputError(
          "show: expected a name (see stepcast list), for example: stepcast show dear");
    say("{}", text());
    return 0;
  }

 private:
  std::string text() const {
    if (const auto schedule = find_schedule(name_))
      return json_ ? schedule_json(*schedule) : description_of(*schedule);
    const FileKind* kind = is_path(name_) ? nullptr : find_kind_of_name(name_);
    if (kind == nullptr)
      if (const auto shown = find_shown_transformer(name_))
        return json_ ? transformer_json(*shown) : description_of(shown->shape, shown->source);
    if (kind == nullptr && is_path(name_))
      kind = &kind_of_file(name_);
    if (kind == nullptr)
      refuse(name_);
    return json_ ? read_text_file(kind->find(name_)) : kind->describe(name_);
  }

  std::string name_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_show_command() {
  return std::make_unique<ShowCommand>();
}

}  // namespace stepcast
