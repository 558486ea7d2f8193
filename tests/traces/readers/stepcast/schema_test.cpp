// GCC 12 sees an overlap inside std::string::replace that is not there.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

const fs::path kRoot = STEPCAST_SOURCE_DIR;
const fs::path kConfigs = kRoot / "configs";

json load(const fs::path& path) {
  return json::parse(std::ifstream(path));
}

bool valid(const std::string& schema_name, const json& file) {
  const json schema_json = load(kConfigs / "schema" / (schema_name + ".schema.json"));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(Adapter(schema_json), schema);
  return valijson::Validator().validate(schema, Adapter(file), nullptr);
}

/// Whether the shipped file is still valid after a JSON merge patch.
bool valid_after(const std::string& schema, const fs::path& path, const char* change) {
  json file = load(kConfigs / path);
  file.merge_patch(json::parse(change));
  return valid(schema, file);
}

/// A schema and the folder whose files must fit it.
struct ShippedFolder {
  const char* schema;
  const char* folder;
};

class ShippedFiles : public testing::TestWithParam<ShippedFolder> {};

TEST_P(ShippedFiles, FitTheirSchema) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / GetParam().folder)) {
    if (entry.path().extension() != ".json")
      continue;
    EXPECT_TRUE(valid(GetParam().schema, load(entry.path()))) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(, ShippedFiles,
                         testing::Values(ShippedFolder{"cluster", "configs/clusters"},
                                         ShippedFolder{"experiment", "configs/experiments"},
                                         ShippedFolder{"measurements", "traces/published"},
                                         ShippedFolder{"goal", "traces/published/goals"},
                                         ShippedFolder{"collectives", "traces/collectives"},
                                         ShippedFolder{"device", "configs/devices"},
                                         ShippedFolder{"case_sets", "configs/cases"},
                                         ShippedFolder{"architecture", "traces/architectures"},
                                         ShippedFolder{"workload", "traces/workloads"}),
                         [](const auto& shipped) { return std::string(shipped.param.schema); });

TEST(ClusterSchema, RefusesWhatTheReaderRefuses) {
  const fs::path path = "clusters/rtx2080ti-16x4-10gbe.json";
  EXPECT_TRUE(valid_after("cluster", path, R"({"rack": {"nodes": 4, "oversubscription": 2}})"));
  for (const char* change :
       {R"({"nodes": 0})", R"({"bandwith": "1Gbps"})", R"({"nic": null})", R"({"version": 2})",
        R"({"nic": {"startup": "-2us"}})", R"({"nic": {"startup": "2 parsecs"}})",
        R"({"nic": {"bandwidth": "10GB"}})", R"({"rack": {"nodes": 4}})",
        R"({"rack": {"nodes": 4, "oversubscription": 0.5}})", R"({"provenance": {"kind": "?"}})",
        R"({"overlap": {"compute_slowdown": -1}})"}) {
    EXPECT_FALSE(valid_after("cluster", path, change)) << change;
  }
}

TEST(CollectivesSchema, RefusesWhatTheReaderRefuses) {
  const fs::path path = "../traces/collectives/v100-32x4-edr-nccl.json";
  EXPECT_TRUE(valid_after("collectives", path, R"({"name": "other"})"));
  for (const char* change :
       {R"({"curves": []})", R"({"curves": [{"collective": "gossip"}]})", R"({"version": 2})",
        R"({"curves": [{"collective": "reduce", "ranks": 1, "nodes": 1, "sizes_bytes": [1],
            "times_s": [1]}]})",
        R"({"curves": [{"collective": "reduce", "ranks": 2, "nodes": 1, "sizes_bytes": [1],
            "times_s": [0]}]})"}) {
    EXPECT_FALSE(valid_after("collectives", path, change)) << change;
  }
}

TEST(HardwareSchema, RefusesWhatTheReaderRefuses) {
  const fs::path path = "../tests/data/hardware/madeup-kernels.json";
  EXPECT_TRUE(valid_after("hardware", path, R"({"quick": true})"));
  for (const char* change :
       {R"({"version": 2})", R"({"device": "../up"})", R"({"quick": 0})", R"({"extra": 1})",
        R"({"points": [{"family": "gem", "size": 1, "time_s": 1, "spread": 0, "samples": 1}]})",
        R"({"points": [{"family": "launch", "size": 1, "time_s": 0, "spread": 0, "samples": 1}]})",
        R"({"replays": [{"workload": "w"}]})"}) {
    EXPECT_FALSE(valid_after("hardware", path, change)) << change;
  }
}

TEST(PlanSchema, RefusesWhatTheReaderRefuses) {
  const fs::path path = "../tests/data/hardware/two-task-plan.json";
  EXPECT_TRUE(valid_after("plan", path, R"({"gpus": 4})"));
  for (const char* change : {R"({"version": 2})", R"({"iteration_time_s": 0})", R"({"tasks": []})",
                             R"({"streams": []})", R"({"edges": [[0]]})", R"({"groups": [[]]})",
                             R"({"tasks": [{"label": "x", "kind": "forward"}]})"}) {
    EXPECT_FALSE(valid_after("plan", path, change)) << change;
  }
}

TEST(ExperimentSchema, RefusesWhatTheReaderRefuses) {
  const fs::path path = "experiments/dear-64gpu-10gbe.json";
  EXPECT_TRUE(valid_after("experiment", path, R"({"set": {"batch": "8"}})"));
  for (const char* change : {R"({"schedule": "dear"})", R"({"schedules": null})",
                             R"({"schedules": []})", R"({"fidelity": "exact"})", R"({"nodes": 0})",
                             R"({"set": {"batch": 8}})", R"({"set": 8})"}) {
    EXPECT_FALSE(valid_after("experiment", path, change)) << change;
  }
}

}  // namespace
}  // namespace stepcast
