// The workloads that ship with StepCast and were derived: each must be what derive_workload makes
// of its architecture and device today.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/workload/derive.hpp"
#include "tests/support/recorded_data.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

const std::filesystem::path kSource = STEPCAST_SOURCE_DIR;

/// What a shipped workload was derived with. Throughput is of one GPU, in samples per second.
struct Derivation {
  const char* architecture;
  const char* title;
  std::uint32_t batch;
  double throughput;
};

/// Names the test.
void PrintTo(const Derivation& tested, std::ostream* out) {
  *out << tested.architecture;
}

constexpr Derivation kResNet50{"resnet50", "ResNet-50", 64, 279.0};
constexpr Derivation kDenseNet201{"densenet201", "DenseNet-201", 32, 150.6};
constexpr Derivation kInceptionV4{"inceptionv4", "Inception-v4 at 224 x 224", 64, 181.2};
constexpr Derivation kBertBase{"bert-base", "BERT-Base at sequence length 64", 64, 219.1};
constexpr Derivation kBertLarge{"bert-large", "BERT-Large at sequence length 64", 32, 75.8};

std::string source_of(const Derivation& derivation) {
  return fmt::format(
      "{} trained on one RTX 2080 Ti of DeAR's testbed (fp32, PyTorch 1.8.1): {:.1f} samples/s at "
      "batch {} as published, hence a step of {} / {:.1f} s",
      derivation.title, derivation.throughput, derivation.batch, derivation.batch,
      derivation.throughput);
}

Workload derived(const Derivation& derivation) {
  const std::string file = std::string(derivation.architecture) + ".json";
  return derive_workload(read_architecture(kSource / "traces/architectures" / file),
                         read_device(kSource / "configs/devices/rtx2080ti.json"), derivation.batch,
                         {derivation.batch / derivation.throughput},
                         {.source = source_of(derivation), .optimiser = "torch-sgd"});
}

std::filesystem::path shipped_file(const Derivation& derivation) {
  return kSource / "traces/workloads" /
         fmt::format("{}-rtx2080ti-bs{}.json", derivation.architecture, derivation.batch);
}

template <class Predicate>
double share_of(const Workload& workload, Seconds Layer::*time, Predicate counts) {
  Seconds all{}, counted{};
  for (const Layer& layer : workload.layers) {
    all += layer.*time;
    counted += counts(layer) ? layer.*time : Seconds{};
  }
  return counted / all;
}

bool is_decoder(const Layer& layer) {
  return layer.name == "cls.predictions";
}

bool is_batch_norm(const Layer& layer) {
  return layer.kind == "BatchNorm2d";
}

class DerivedWorkload : public testing::TestWithParam<Derivation> {};

TEST_P(DerivedWorkload, ShippedFileIsWhatDerivationMakesToday) {
  EXPECT_EQ(read_text_file(shipped_file(GetParam())), to_json_text(derived(GetParam())));
}

// The file carries 9 significant digits a layer.
TEST_P(DerivedWorkload, PassesAndUpdateAddUpToTheStepTime) {
  const Workload workload = read_workload(shipped_file(GetParam()));
  const double step_time = GetParam().batch / GetParam().throughput;
  const double passes = step_time - workload.update.value;
  EXPECT_NEAR(forward_time(workload).value, 0.36 * passes, 1e-9 * step_time);
  EXPECT_NEAR(backward_time(workload).value, 0.64 * passes, 1e-9 * step_time);
}

// By hand: SGD without momentum moves 4 values of 4 bytes for each parameter at 530 GB/s.
TEST_P(DerivedWorkload, TheUpdateIsThatOfPlainSgd) {
  const Workload workload = read_workload(shipped_file(GetParam()));
  const auto parameters = static_cast<double>(parameter_count(workload));
  EXPECT_NEAR(workload.update.value, 16 * parameters / 530e9, 1e-8);
}

TEST_P(DerivedWorkload, EveryLayerTakesTime) {
  for (const Layer& layer : read_workload(shipped_file(GetParam())).layers) {
    EXPECT_GT(layer.forward.value, 0) << layer.name;
    EXPECT_GT(layer.backward.value, 0) << layer.name;
  }
}

// The bare roofline has no free parameter: were the passes and the work grossly miscounted, it
// would not come out below the measured step time at a plausible efficiency, nor near the measured
// 0.36.
TEST_P(DerivedWorkload, BareRooflineExplainsMostOfTheMeasuredStepTime) {
  const Architecture architecture = read_architecture(
      kSource / "traces/architectures" / (std::string(GetParam().architecture) + ".json"));
  const DeviceSpec device = read_device(kSource / "configs/devices/rtx2080ti.json");
  Seconds forward{}, backward{};
  for (LayerId id = 0; id < architecture.layers.size(); ++id) {
    const LayerWork work = work_of(architecture, id, GetParam().batch);
    forward += forward_roofline(work, device);
    backward += backward_roofline(work, device);
  }
  const Seconds step_time{GetParam().batch / GetParam().throughput};
  EXPECT_GT((forward + backward) / step_time, 0.6);
  EXPECT_LT((forward + backward) / step_time, 0.9);
  EXPECT_NEAR(forward / (forward + backward), 0.36, 0.03);
}

INSTANTIATE_TEST_SUITE_P(All, DerivedWorkload,
                         testing::Values(kResNet50, kDenseNet201, kInceptionV4, kBertBase,
                                         kBertLarge),
                         [](const auto& test) {
                           std::string name = test.param.architecture;
                           std::erase(name, '-');
                           return name;
                         });

// By hand at batch 64: the convolutions' arithmetic takes 2 * 4.087e9 * 64 / 13.45e12 = 38.9 ms of
// forward; the outputs of all BatchNorms are 11.1e6 elements a sample, so one pass is 4 * 11.1e6 *
// 64 / 616e9 = 4.6 ms, and 3 passes of its own, 2 for ReLU and some for residuals about 28 ms.
TEST(DerivedShares, BatchNormTakesAThirdToAHalfOfResNet50) {
  const Workload workload = derived(kResNet50);
  EXPECT_NEAR(share_of(workload, &Layer::forward, is_batch_norm), 28.0 / (28.0 + 38.9), 0.05);
  EXPECT_NEAR(share_of(workload, &Layer::backward, is_batch_norm), 0.36, 0.05);
}

// Decoder: 2 * 2 * 1.5e9 * 64 / 13.45e12 = 28.6 ms of backward products and 6 passes over the 500
// MB of logits in 4.9 ms; the other layers' products take 2 * 2 * 5.55e9 * 64 / 13.45e12 = 105.6 ms
// and their passes about 10 ms. Together 33.5 / 149.
TEST(DerivedShares, TiedDecoderTakesAFifthOfBertBaseBackward) {
  EXPECT_NEAR(share_of(derived(kBertBase), &Layer::backward, is_decoder), 33.5 / 149, 0.01);
}

// The tied weight belongs to the word embedding, whose gradient is complete only when the backward
// pass ends: the largest tensor is the last to be ready.
TEST(DerivedShares, LargestTensorOfBertIsReadyLast) {
  const Workload workload = read_workload(shipped_file(kBertBase));
  const auto largest = std::ranges::max_element(
      workload.layers, {}, [](const Layer& layer) { return parameter_size(layer).value; });
  EXPECT_EQ(largest, workload.layers.begin());
  EXPECT_EQ(parameter_size(*largest).value, 4.0 * 30528 * 768);
}

/// A gradient in the order of the backward pass, and the time since the one before.
struct ReadyGradient {
  double elements = 0;
  double gap = 0;
};

/// Part of the backward pass that has gone by when `fraction` of all gradient elements is ready.
double ready_at(const std::vector<ReadyGradient>& gradients, double fraction) {
  double all_elements = 0, all_time = 0;
  for (const ReadyGradient& gradient : gradients) {
    all_elements += gradient.elements;
    all_time += gradient.gap;
  }
  double elements = 0, time = 0;
  for (const ReadyGradient& gradient : gradients) {
    elements += gradient.elements;
    time += gradient.gap;
    if (elements >= fraction * all_elements)
      break;
  }
  return time / all_time;
}

std::vector<ReadyGradient> gradients_of(const Workload& workload) {
  std::vector<ReadyGradient> gradients;
  for (auto layer = workload.layers.rbegin(); layer != workload.layers.rend(); ++layer)
    gradients.push_back({parameter_size(*layer) / Bytes{4}, layer->backward.value});
  return gradients;
}

// An independent check of the shape: ResNet-50's gradients measured on a V100.
TEST(DerivedShares, ResNet50GradientsBecomeReadyAsMeasuredOnAnotherDevice) {
  const auto file = recorded_data("espresso/model_tensor_ready_gaps.json");
  STEPCAST_SKIP_WITHOUT(file);
  const auto json = nlohmann::json::parse(read_text_file(file));
  std::vector<ReadyGradient> measured;
  for (const auto& tensor : json.at("models").at("resnet50"))
    measured.push_back({tensor.at(1).get<double>(), tensor.at(2).get<double>()});
  const std::vector<ReadyGradient> forecast = gradients_of(read_workload(shipped_file(kResNet50)));
  for (const double fraction : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95})
    EXPECT_NEAR(ready_at(forecast, fraction), ready_at(measured, fraction), 0.025) << fraction;
}

}  // namespace
}  // namespace stepcast
