// The workload schema and the reader refuse the same files.

// GCC 12 sees an overlap inside std::string::replace that is not there.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/workload_reader.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

const std::filesystem::path kSource = STEPCAST_SOURCE_DIR;

json shipped_workload() {
  const auto path = kSource / "traces/workloads/resnet50-pipedream-bs128.json";
  return parse_json(read_text_file(path), path.string());
}

bool schema_accepts(const json& workload) {
  const auto path = kSource / "configs/schema/workload.schema.json";
  const json text = parse_json(read_text_file(path), path.string());
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(text), schema);
  return valijson::Validator().validate(schema, Adapter(workload), nullptr);
}

bool reader_accepts(const json& workload) {
  try {
    parse_workload(workload.dump(), "w.json");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

TEST(WorkloadSchema, AcceptsWhatTheReaderAccepts) {
  json workload = shipped_workload();
  workload.erase("edges");
  workload.erase("precision");
  workload.erase("batch_scaling");
  workload["layers"][0]["macs"] = 0.5;
  workload["update_s"] = 0.001;
  EXPECT_TRUE(schema_accepts(workload));
  EXPECT_TRUE(reader_accepts(workload));
}

/// A place in the workload and a value that is wrong there.
struct Fault {
  const char* pointer;
  const char* value;
};

class WorkloadFault : public testing::TestWithParam<Fault> {};

TEST_P(WorkloadFault, IsRefusedBySchemaAndReader) {
  json workload = shipped_workload();
  ASSERT_TRUE(schema_accepts(workload));
  ASSERT_TRUE(reader_accepts(workload));
  workload[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  EXPECT_FALSE(schema_accepts(workload)) << GetParam().pointer << " = " << GetParam().value;
  EXPECT_FALSE(reader_accepts(workload)) << GetParam().pointer << " = " << GetParam().value;
}

constexpr Fault kFaults[] = {
    {"/format", R"("stepcast-cluster")"},
    {"/version", "2"},
    {"/name", R"("")"},
    {"/model", "1"},
    {"/batch", "0"},
    {"/batch", "4294967296"},
    {"/batch", R"("64")"},
    {"/precision", R"("fp23")"},
    {"/batch_scaling", R"("linear")"},
    {"/update_s", "-1"},
    {"/update_s", R"("1ms")"},
    {"/extra", "1"},
    {"/provenance", "null"},
    {"/provenance/kind", R"("guessed")"},
    {"/provenance/source", R"("")"},
    {"/provenance/notes", R"("one")"},
    {"/provenance/when", R"("today")"},
    {"/layers", "[]"},
    {"/layers/3", R"({"name": "x", "kind": "y", "forward_s": 1})"},
    {"/layers/3/forward_s", "-1"},
    {"/layers/3/backward_s", R"("1ms")"},
    {"/layers/3/activation_bytes", "-4"},
    {"/layers/3/macs", "null"},
    {"/layers/3/kind", R"("")"},
    {"/layers/3/colour", R"("red")"},
    {"/layers/0/parameters", "{}"},
    {"/layers/0/parameters/0/elements", "0"},
    {"/layers/0/parameters/0/elements", "1.5"},
    {"/layers/0/parameters/0/dtype", R"("float")"},
    {"/edges", R"("chain")"},
    {"/edges/0", "[1]"},
    {"/edges/0", "[-1, 2]"},
    {"/edges/0", "[0.5, 2]"},
    {"/edges/1", "[0, 1]"},
};

INSTANTIATE_TEST_SUITE_P(, WorkloadFault, testing::ValuesIn(kFaults));

}  // namespace
}  // namespace stepcast
