#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "models/network/adapters.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/architecture.hpp"
#include "models/workload/transformer/presets.hpp"
#include "sim/cli/output/list_index.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/table.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/goal_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

using Cells = ListIndex::Cells;

std::string millions(std::uint64_t count) {
  return fmt::format("{:.2f} M", static_cast<double>(count) * 1e-6);
}

/// A row for each shipped file of a kind: its name, and what the index knows or `read` makes of it.
void add_rows(Table& table, CatalogKind kind, ListIndex& index, Cells (*read)(const std::string&)) {
  for (const std::string& name : list_names(kind)) {
    std::vector<std::string> row{name};
    const auto& cells = index.cells_of(table.columns.front().heading, find_file(kind, name),
                                       [&] { return read(name); });
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
}

Table workload_table(ListIndex& index) {
  Table table{.columns = {{"workload", Align::Left},
                          {"batch"},
                          {"layers"},
                          {"tensors"},
                          {"parameters"},
                          {"forward ms"},
                          {"backward ms"},
                          {"times", Align::Left}}};
  add_rows(table, CatalogKind::Workload, index, [](const std::string& name) {
    const Workload w = read_workload(find_workload(name));
    return Cells{std::to_string(w.batch),          std::to_string(w.layers.size()),
                 std::to_string(tensor_count(w)),  millions(parameter_count(w)),
                 milliseconds(forward_time(w), 1), milliseconds(backward_time(w), 1),
                 name_of(w.provenance.kind)};
  });
  return table;
}

Table cluster_table(ListIndex& index) {
  Table table{.columns = {{"cluster", Align::Left},
                          {"nodes"},
                          {"GPUs each"},
                          {"device", Align::Left},
                          {"adapters"},
                          {"start-up"},
                          {"in the node"},
                          {"figures", Align::Left}}};
  add_rows(table, CatalogKind::Cluster, index, [](const std::string& name) {
    const Cluster c = load_cluster(name);
    return Cells{std::to_string(c.nodes),
                 std::to_string(c.gpus_per_node),
                 c.device.name,
                 adapters_of(c),
                 format_seconds(c.nic.startup),
                 format_bandwidth(c.intra_node.bandwidth),
                 name_of(c.provenance.kind)};
  });
  table.rows.push_back(
      {"ideal-<nodes>x<gpus>", "any", "any", "-", "100 Gb/s", "0 s", "100 GB/s", "for tests"});
  return table;
}

Table schedule_table(ListIndex& /*index*/) {
  Table table{.columns = {{"schedule", Align::Left}, {"what it does", Align::Left}}};
  for (const ScheduleInfo& schedule : all_schedules())
    table.rows.push_back({schedule.name, schedule.summary});
  return table;
}

Table preset_table(ListIndex& /*index*/) {
  Table table{.columns = {{"preset", Align::Left},
                          {"schedule", Align::Left},
                          {"what it sets", Align::Left}}};
  for (const Preset& preset : all_presets())
    table.rows.push_back({preset.name, preset.schedule, preset.meaning});
  return table;
}

Table device_table(ListIndex& index) {
  Table table{.columns = {{"device", Align::Left},
                          {"fp32 peak"},
                          {"memory bandwidth"},
                          {"memory"},
                          {"figures", Align::Left},
                          {"transformers", Align::Left}}};
  add_rows(table, CatalogKind::Device, index, [](const std::string& name) {
    const DeviceSpec d = read_device(find_file(CatalogKind::Device, name));
    const auto law = find_training_law(name);
    return Cells{fmt::format("{:.2f} TFLOP/s", d.peak_fp32.value * 1e-12),
                 format_bandwidth(d.memory_bandwidth), format_bytes(d.memory),
                 name_of(d.provenance.kind), law ? name_of(law->provenance.kind) : "-"};
  });
  return table;
}

Table architecture_table(ListIndex& index) {
  Table table{
      .columns = {
          {"architecture", Align::Left}, {"layers"}, {"tensors"}, {"parameters"}, {"GMAC/sample"}}};
  add_rows(table, CatalogKind::Architecture, index, [](const std::string& name) {
    const Architecture a = read_architecture(find_file(CatalogKind::Architecture, name));
    return Cells{std::to_string(a.layers.size()), std::to_string(tensor_count(a)),
                 millions(parameter_count(a)), fmt::format("{:.3f}", macs(a) * 1e-9)};
  });
  return table;
}

Table transformer_table(ListIndex& /*index*/) {
  Table table{.columns = {{"transformer", Align::Left},
                          {"blocks"},
                          {"hidden"},
                          {"heads"},
                          {"kv heads"},
                          {"ffn"},
                          {"experts"},
                          {"vocabulary"},
                          {"sequence"},
                          {"parameters"}}};
  for (const TransformerPreset& preset : transformer_presets()) {
    const Transformer& t = preset.shape;
    table.rows.push_back({t.model, std::to_string(t.layers), std::to_string(t.hidden),
                          std::to_string(t.heads), std::to_string(t.kv_heads),
                          std::to_string(t.ffn),
                          t.has_experts() ? fmt::format("{} of {}", t.top_k, t.experts) : "-",
                          std::to_string(t.vocab), std::to_string(t.seq),
                          fmt::format("{:.3f} G", static_cast<double>(parameter_count(t)) * 1e-9)});
  }
  return table;
}

Table experiment_table(ListIndex& index) {
  Table table{.columns = {{"experiment", Align::Left},
                          {"workload", Align::Left},
                          {"cluster", Align::Left},
                          {"schedules"}}};
  add_rows(table, CatalogKind::Experiment, index, [](const std::string& name) {
    const Experiment e = load_experiment(name);
    return Cells{e.workloads.empty() ? e.workload : fmt::format("{} workloads", e.workloads.size()),
                 e.clusters.empty() ? e.cluster : fmt::format("{} clusters", e.clusters.size()),
                 std::to_string(e.schedules.size())};
  });
  return table;
}

std::string kinds_in(const MeasuredCollectives& measured) {
  std::set<CollectiveKind> kinds;
  for (const CollectiveCurve& curve : measured.curves)
    kinds.insert(curve.kind);
  std::vector<std::string> names;
  for (const CollectiveKind kind : kinds)
    names.emplace_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ", "));
}

Table collectives_table(ListIndex& index) {
  Table table{.columns = {{"collectives", Align::Left}, {"curves"}, {"measured", Align::Left}}};
  add_rows(table, CatalogKind::Collectives, index, [](const std::string& name) {
    const MeasuredCollectives measured =
        read_collectives(find_file(CatalogKind::Collectives, name));
    return Cells{std::to_string(measured.curves.size()), kinds_in(measured)};
  });
  return table;
}

Table goal_table(ListIndex& /*index*/) {
  Table table{
      .columns = {
          {"goal", Align::Left}, {"model", Align::Left}, {"ways"}, {"target", Align::Left}}};
  for (const std::string& name : goal_names()) {
    const Goal goal = load_goal(name);
    table.rows.push_back({name, goal.model.empty() ? "any" : goal.model,
                          std::to_string(goal.attempts.size()), goal.target});
  }
  return table;
}

struct Section {
  const char* name;
  Table (*table)(ListIndex&);
};

constexpr std::array kSections{
    Section{"workloads", workload_table},       Section{"clusters", cluster_table},
    Section{"schedules", schedule_table},       Section{"presets", preset_table},
    Section{"devices", device_table},           Section{"architectures", architecture_table},
    Section{"transformers", transformer_table}, Section{"experiments", experiment_table},
    Section{"collectives", collectives_table},  Section{"goals", goal_table}};

/// Lists what can be named on the command line.
class ListCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "Without KIND: everything. Details of one: stepcast show NAME.",
            .examples = {"stepcast list workloads", "stepcast list schedules"}};
  }

  std::vector<CommandOption> options() override {
    return {{"KIND", "", &kind_,
             "workloads, clusters, schedules, presets, devices,\narchitectures, transformers, "
             "experiments, collectives or goals"},
            {"--json", "", &json_, "print the names as JSON"},
            output_option("--write-index", &index_file_,
                          "write down what the files say, for later lists: the build does")};
  }

  int run() override {
    check_kind();
    // Another program may have read the files otherwise: nothing of its index goes into a new one.
    ListIndex index = index_file_.empty() ? ListIndex(list_index_file()) : ListIndex();
    nlohmann::ordered_json names;
    std::string text;
    for (const Section& section : kSections) {
      if (!kind_.empty() && kind_ != section.name)
        continue;
      const Table table = section.table(index);
      text += text.empty() ? "" : "\n";
      text += render(table);
      for (const auto& row : table.rows)
        names[section.name].push_back(row.front());
    }
    if (!index_file_.empty())
      write_text_file(index_file_, index.text());
    else
      say("{}", json_ ? names.dump(2) + "\n" : text);
    return 0;
  }

 private:
  void check_kind() const {
    std::vector<std::string> kinds;
    for (const Section& section : kSections)
      kinds.emplace_back(section.name);
    if (!kind_.empty() && std::ranges::find(kinds, kind_) == kinds.end())
      throw InputError(fmt::format("list: expected one of {}, found {}{}", fmt::join(kinds, ", "),
                                   in_quotes(kind_), did_you_mean(kind_, kinds)));
  }

  std::string kind_;
  std::string index_file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_list_command() {
  return std::make_unique<ListCommand>();
}

}  // namespace stepcast
