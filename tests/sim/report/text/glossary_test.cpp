#include "sim/report/text/glossary.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/asynchronous/world.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/descriptions.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/job/operation_types.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

using nlohmann::literals::operator""_json_pointer;

/// Commands that print files, whose fields the schemas describe, or tables of names.
constexpr std::array kNoReports = {"schema", "show", "import", "list", "derive"};

/// Objects whose keys are data: options, names of schedules, what a trace says of itself.
constexpr std::array kNamedByData = {"options",
                                     "found_options",
                                     "settings",
                                     "facts",
                                     "checks_by_schedule",
                                     "iteration_time_s",
                                     "iteration_time_low_s",
                                     "iteration_time_high_s",
                                     "error_basis",
                                     "communication_s",
                                     "other_compute_s",
                                     "exposed_communication_s",
                                     "devices",
                                     "rank",
                                     "stage",
                                     "kind",
                                     "data",
                                     "node",
                                     "step",
                                     "kinds",
                                     "waiting_for_s",
                                     "other_compute_s",
                                     "exposed_communication_s",
                                     "communication_s"};

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool is_report(const std::filesystem::path& golden) {
  const std::string command = text_of(std::filesystem::path(golden).replace_extension(".cmd"));
  std::smatch found;
  return std::regex_search(command, found, std::regex("(?:^|\n)stepcast ([a-z]+)")) &&
         std::ranges::count(kNoReports, found[1].str()) == 0;
}

void add_keys(const nlohmann::json& json, std::set<std::string>& names) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object())
      names.insert(key);
    if (value.is_structured() && (!json.is_object() || std::ranges::count(kNamedByData, key) == 0))
      add_keys(value, names);
  }
}

/// Headings are above a line of dashes, which tells where they begin and end.
void add_headings(const std::string& text, std::set<std::string>& names) {
  static const std::regex kDashes("-+(  -+)* *");
  std::istringstream lines(text);
  std::string above;
  for (std::string line; std::getline(lines, line); above = line) {
    if (above.empty() || !std::regex_match(line, kDashes))
      continue;
    for (std::size_t begin = 0; begin < line.size() && begin < above.size();) {
      const std::size_t end = std::min(line.find("  ", begin), line.size());
      const std::string cell = above.substr(begin, end - begin);
      if (const std::size_t first = cell.find_first_not_of(' '); first != std::string::npos)
        names.insert(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
      begin = end + 2;
    }
  }
}

/// A density, a number of GPUs, an option, a field of the cluster or a schedule heads a column of
/// its own.
bool is_data(const std::string& heading) {
  static const std::regex kData(R"([0-9.]+|fusion_buffer|cluster\.[a-z_.]+)");
  return std::regex_match(heading, kData) || find_preset(heading) != nullptr ||
         std::ranges::find(all_schedules(), heading, &ScheduleInfo::name) != all_schedules().end();
}

TEST(GlossaryTest, EveryColumnAndKeyOfTheGoldenReportsHasItsLine) {
  std::set<std::string> names;
  const auto folder = std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/golden";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".txt" || !is_report(entry.path()))
      continue;
    const std::string text = text_of(entry.path());
    if (const auto json = nlohmann::json::parse(text, nullptr, false); !json.is_discarded())
      add_keys(json, names);
    else
      add_headings(text, names);
  }
  EXPECT_GT(names.size(), 150U);
  for (const std::string& name : names)
    EXPECT_TRUE(is_data(name) || find_term(name) != nullptr) << name;
}

/// Keys of all objects that a schema describes, at any depth.
void add_properties(const nlohmann::json& schema, std::set<std::string>& names) {
  if (schema.is_object() && schema.contains("properties"))
    for (const auto& [key, property] : schema["properties"].items())
      names.insert(key);
  if (schema.is_structured())
    for (const nlohmann::json& inner : schema)
      add_properties(inner, names);
}

TEST(GlossaryTest, EveryKeyOfEverySchemaIsExplained) {
  std::set<std::string> names;
  const auto folder = std::filesystem::path(STEPCAST_SOURCE_DIR) / "configs/schema";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    add_properties(nlohmann::json::parse(schema_text(file.substr(0, file.find('.')))), names);
  }
  EXPECT_GT(names.size(), 600U);
  for (const std::string& name : names)
    EXPECT_NE(find_term(name), nullptr) << name;
}

/// Labels before a number outside tables ("iteration time   274.36 ms"), and the first cells of
/// tables whose rows have names of ours. What holds brackets or signs is data: an edit, a name.
void add_row_labels(const std::string& text, std::set<std::string>& names) {
  static const std::regex kLabel("([a-zA-Z][^:=…]*?)  +[0-9].*");
  static const std::regex kRow("([a-zA-Z].*?)  +[0-9].*");
  static const std::set<std::string> kTables{"breakdown", "communication", "link",
                                             "memory per GPU"};
  std::istringstream lines(text);
  std::string table;
  for (std::string line, above; std::getline(lines, line); above = line) {
    std::smatch found;
    if (line.empty())
      table.clear();
    else if (line.starts_with("--"))
      table = above.substr(0, above.find("  "));
    else if (table.empty() ? std::regex_match(line, found, kLabel) &&
                                 found[1].str().find("  ") == std::string::npos &&
                                 found[1].str().find('(') == std::string::npos
                           : kTables.contains(table) && std::regex_match(line, found, kRow))
      names.insert(found[1]);
  }
}

TEST(GlossaryTest, EveryLabelOfTheGoldenReportsIsExplained) {
  std::set<std::string> names;
  const auto folder = std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/golden";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt" && is_report(entry.path()))
      add_row_labels(text_of(entry.path()), names);
  EXPECT_GE(names.size(), 80U);
  for (const std::string& name : names)
    EXPECT_NE(find_term(name), nullptr) << name;
}

TEST(GlossaryTest, ExplainsWhatReportsAndFilesCallThingsBy) {
  for (const char* name :
       {"MFU", "jitter", "analytic", "flow", "step", "zero", "HostGap", "launch wait", "group",
        "group 0", "every NIC (16 alike)", "GPU ports", "exposed communication: send",
        "dear-icdcs23", "fusion_buffer", "1f1b", "hop", "seq", "oversubscription"})
    EXPECT_NE(find_term(name), nullptr) << name;
  EXPECT_EQ(find_term("group 0"), find_term("group"));
  EXPECT_NE(find_term("zero")->definition.find("schedule"), std::string::npos);
}

/// Phases of the plan that a schedule makes with an option set to one of its words. Options that
/// need another beside them make none.
void add_phases(const ScheduleInfo& schedule, const ScheduleOptions& options,
                const Workload& workload, const Cluster& cluster, std::set<std::string>& phases) {
  try {
    const Plan plan = build_plan(schedule.name, workload, cluster, options);
    phases.insert(plan.phases.begin(), plan.phases.end());
  } catch (const InputError&) {
    EXPECT_FALSE(options.empty()) << schedule.name;
  }
}

TEST(GlossaryTest, EveryPhaseOfEverySchedulesPlanIsExplained) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 2;
  std::set<std::string> phases;
  for (const ScheduleInfo& schedule : data_parallel_schedules()) {
    add_phases(schedule, {}, workload, cluster, phases);
    for (const OptionInfo& option : schedule.options)
      for (const std::string& word : option.words)
        add_phases(schedule, {{option.name, word}}, workload, cluster, phases);
  }
  EXPECT_GT(phases.size(), 20U);
  for (const std::string& phase : phases)
    EXPECT_NE(find_term(phase), nullptr) << phase;
}

TEST(GlossaryTest, PhasesOfModelParallelSchedulesAndOfProfilesAreExplained) {
  for (const char* phase : {"recorded delays", "messages in layers", "gradients", "parameters",
                            "activations", "their gradients", "input", "host", "embeddings",
                            "tables", "sampling", "cycle and negotiation", "optimizer"})
    EXPECT_NE(find_term(phase), nullptr) << phase;
}

TEST(GlossaryTest, EveryLabelOfAsynchronousSchedulesIsExplained) {
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    const std::string name = name_of(static_cast<Cause>(cause));
    EXPECT_NE(find_term(name), nullptr) << name;
    EXPECT_EQ(find_term("waiting for " + name), find_term(name)) << name;
  }
  for (const char* label : {"models under way", "models", "waiting for others"})
    EXPECT_NE(find_term(label), nullptr) << label;
}

TEST(GlossaryTest, EveryFieldOfAClusterIsExplained) {
  for (const ClusterField& field : cluster_fields()) {
    EXPECT_NE(find_term(field.path), nullptr) << field.path;
    EXPECT_NE(find_term("cluster." + std::string(field.path)), nullptr) << field.path;
  }
}

/// Labels in front of a value, as `show` aligns them; a line that goes on has none.
void add_fact_labels(const std::string& text, std::set<std::string>& names) {
  static const std::regex kFact("([a-zA-Z][^ ]*( [^ ]+)*)  +[^ ].*");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch found; std::regex_match(line, found, kFact))
      names.insert(found[1]);
}

TEST(GlossaryTest, EveryRowOfAShownClusterAndDeviceIsExplained) {
  std::set<std::string> names;
  for (const char* cluster : {"dgx-a100", "rtx2080ti-16x4-10gbe"})
    add_fact_labels(description_of(load_cluster(cluster)), names);
  for (const char* device : {"h100", "a100", "rtx2080ti"})
    add_fact_labels(description_of(read_device(find_file(CatalogKind::Device, device)),
                                   find_training_law(device)),
                    names);
  EXPECT_GT(names.size(), 45U);
  for (const std::string& name : names)
    EXPECT_NE(find_term(name), nullptr) << name;
}

TEST(GlossaryTest, EveryColumnOfListIsExplained) {
  std::set<std::string> names;
  const auto golden = std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/golden";
  for (const auto& entry : std::filesystem::directory_iterator(golden))
    if (const std::string name = entry.path().filename().string();
        name.starts_with("list") && name.ends_with(".txt"))
      add_headings(text_of(entry.path()), names);
  for (const char* heading : {"GPUs each", "adapters", "start-up", "in the node", "figures",
                              "fp32 peak", "memory bandwidth", "transformers", "kv heads",
                              "GMAC/sample", "vocabulary", "sequence", "blocks", "times"})
    names.insert(heading);
  for (const std::string& name : names)
    EXPECT_NE(find_term(name), nullptr) << name;
}

TEST(GlossaryTest, OperationTypesOfPublishedJobsAreExplained) {
  for (const char* name : {"forward-compute", "backward-compute", "optimizer", "params-all-gather",
                           "grads-reduce-scatter", "grads-all-reduce", "layernorm-grads-all-reduce",
                           "embedding-grads-all-reduce", "optimizer-clip-main-grad", "forward-send",
                           "backward-recv", "gc"}) {
    EXPECT_TRUE(operation_type_of(name).known) << name;
    ASSERT_NE(find_term(name), nullptr) << name;
    EXPECT_NE(find_term(operation_type_of(name).kind), nullptr) << name;
  }
}

TEST(GlossaryTest, HeadingsWithAScheduleOrANumberAreExplained) {
  EXPECT_EQ(find_term("bsp ms"), find_term("bsp"));
  EXPECT_EQ(find_term("64 GPUs ms"), find_term("GPUs"));
  EXPECT_EQ(find_term("10 broadcasts"), find_term("broadcast"));
  EXPECT_EQ(find_term("11 stretches: backward"), find_term("stretches"));
  EXPECT_NE(find_term("best/next"), nullptr);
  for (const char* name : {"work spread evenly over the stages", "as a workload", "of a token",
                           "turn on push", "more on average, in other phases of the cycle"})
    EXPECT_NE(find_term(name), nullptr) << name;
  EXPECT_EQ(find_term("2.5"), nullptr);
}

TEST(GlossaryTest, EveryPrintedColumnHasItsLine) {
  const auto columns = printed_columns();
  EXPECT_GT(columns.size(), 40U);
  for (const std::string& column : columns)
    EXPECT_NE(find_term(column), nullptr) << column;
}

// What a verdict may be is in the schema of its JSON, too.
TEST(GlossaryTest, EveryKindOfVerdictHasItsLine) {
  std::set<std::string> kinds;
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::Checkpoints); ++kind) {
    const std::string name = name_of(static_cast<VerdictKind>(kind));
    kinds.insert(name);
    ASSERT_NE(find_term(name), nullptr) << name;
    EXPECT_NE(find_term(name)->definition.find("verdict"), std::string::npos) << name;
    EXPECT_NE(find_term("verdict")->definition.find(name), std::string::npos) << name;
  }
  const auto root = std::filesystem::path(STEPCAST_SOURCE_DIR);
  const auto schema = nlohmann::json::parse(text_of(root / "configs/schema/diagnose.schema.json"));
  EXPECT_EQ(schema.at("/definitions/verdict/properties/kind/enum"_json_pointer)
                .get<std::set<std::string>>(),
            kinds);
}

TEST(GlossaryTest, TermsAreFoundByHeadingAndKeyWhateverTheirSpelling) {
  ASSERT_NE(find_term("exposed_communication_s"), nullptr);
  EXPECT_EQ(find_term("Exposed-Communication"), find_term("exposed ms"));
  EXPECT_EQ(find_term("expose"), nullptr);
  EXPECT_EQ(find_term(""), nullptr);
}

TEST(GlossaryTest, TermsAreSortedUniqueAndDefined) {
  std::set<std::string_view> names;
  for (const Term& term : all_terms()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_EQ(find_term(term.name), &term) << term.name;
    EXPECT_TRUE(term.definition.ends_with('.')) << term.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(all_terms(), {}, &Term::name));
}

}  // namespace
}  // namespace stepcast
