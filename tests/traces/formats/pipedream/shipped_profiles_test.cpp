// The workloads that ship with StepCast and were imported from PipeDream's profiles.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/recorded_data.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/pipedream/graph_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = STEPCAST_SOURCE_DIR;
const fs::path kProfiles = recorded_data("pipedream/profiler");

struct Shipped {
  const char* folder;    ///< Under image_classification/profiles.
  const char* workload;  ///< Its name.
  std::uint64_t parameters;
  std::size_t tensors;
};

/// Names the test.
void PrintTo(const Shipped& tested, std::ostream* out) {
  *out << tested.workload;
}

/// Parameters and tensors of torchvision's models. Inception v3 includes the auxiliary classifier.
/// tensors: VGG 16 x (weight, bias); ResNet-50 53 convolutions, 53 x 2 of batch norm and 2.
constexpr Shipped kShipped[] = {
    {"vgg16", "vgg16-pipedream-bs128", 138357544, 32},
    {"resnet50", "resnet50-pipedream-bs128", 25557032, 161},
    {"resnet101", "resnet101-pipedream-bs64", 44549160, 314},
    {"densenet121", "densenet121-pipedream-bs64", 7978856, 364},
    {"inception_v3", "inception-v3-pipedream-bs128", 27161264, 292},
};

class ShippedProfile : public testing::TestWithParam<Shipped> {
 protected:
  Workload shipped() const {
    return read_workload(kSource / "traces/workloads" /
                         (std::string(GetParam().workload) + ".json"));
  }
  fs::path profile() const {
    return kProfiles / "image_classification/profiles" / GetParam().folder / "graph.txt";
  }
};

TEST_P(ShippedProfile, HasThePublishedParameters) {
  const Workload workload = shipped();
  EXPECT_EQ(workload.name, GetParam().workload);
  EXPECT_EQ(parameter_count(workload), GetParam().parameters);
  EXPECT_EQ(tensor_count(workload), GetParam().tensors);
  EXPECT_EQ(workload.provenance.kind, ProvenanceKind::Measured);
  EXPECT_NE(workload.provenance.notes.back().find("times the"), std::string::npos);
}

TEST_P(ShippedProfile, IsWhatTheReaderMakesOfTheProfile) {
  STEPCAST_SKIP_WITHOUT(profile());
  ImportReport report;
  const Workload workload = shipped();
  const ImportOptions options{.source = workload.provenance.source, .strict = true};
  EXPECT_EQ(to_json_text(import_trace(profile(), options, report)), to_json_text(workload));
}

TEST_P(ShippedProfile, ParametersAndTimesAreTheSumsOfTheProfile) {
  STEPCAST_SKIP_WITHOUT(profile());
  ImportReport report;
  const GraphFile file = parse_graph_file(read_text_file(profile()), "graph.txt", report);
  std::uint64_t bytes = 0;
  Seconds step;
  for (const GraphNode& node : file.nodes) {
    bytes += node.parameter_bytes;
    step += node.description == "Input" ? Seconds{0} : node.forward + node.backward;
  }
  const Workload workload = shipped();
  EXPECT_EQ(parameter_size(workload), Bytes{static_cast<double>(bytes)});
  EXPECT_NEAR((forward_time(workload) + backward_time(workload)).value, step.value, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Pipedream, ShippedProfile, testing::ValuesIn(kShipped),
                         [](const auto& test) {
                           std::string name = test.param.folder;
                           std::erase(name, '_');
                           return name;
                         });

TEST(Profiles, EveryOneIsReadWithItsParameters) {
  STEPCAST_SKIP_WITHOUT(kProfiles);
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kProfiles)) {
    if (entry.path().filename() != "graph.txt")
      continue;
    ImportReport report;
    const GraphFile file = parse_graph_file(read_text_file(entry.path()), "graph.txt", report);
    // GNMT and SqueezeNet have no linear layer that tells the batch.
    const std::string path = entry.path();
    const bool unknown = path.find("gnmt") != path.npos || path.find("squeezenet") != path.npos;
    const ImportOptions options{.batch = unknown ? std::optional(256U) : std::nullopt};
    const Workload workload = import_trace(entry.path(), options, report);
    double bytes = 0;
    for (const GraphNode& node : file.nodes)
      bytes += static_cast<double>(node.parameter_bytes);
    EXPECT_EQ(parameter_size(workload), Bytes{bytes}) << path;
    EXPECT_EQ(report.clean(), path.find("gnmt") == path.npos) << path;
    ++count;
  }
  EXPECT_EQ(count, 14);
}

}  // namespace
}  // namespace stepcast
