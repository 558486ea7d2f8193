#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/workload/transformer/transformer_workload.hpp"
#include "tests/support/input_error.hpp"
#include "traces/formats/huggingface/model_config.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/strict_json.hpp"

// The file lists models with what their configuration says of shapes, their number of parameters,
// and where that number was published. Where none was found the number is the formula's own, which
// only guards against changes.

namespace stepcast {
namespace {

constexpr const char* kModels = STEPCAST_SOURCE_DIR "/tests/data/huggingface/parameters.json";
constexpr const char* kNone = "none found: recomputed by formula alone";

nlohmann::json models() {
  return parse_json(read_text_file(kModels), kModels);
}

ConfiguredModel model_of(const nlohmann::json& config, const ConfigChoice& choice = {}) {
  const GivenTexts given(std::map<std::string, std::string>{{"config.json", config.dump()}});
  return read_model_config("config.json", choice);
}

TEST(PublishedParameters, AreMetExactly) {
  std::size_t published = 0;
  for (const nlohmann::json& each : models()) {
    EXPECT_EQ(parameter_count(model_of(each.at("config"))),
              each.at("parameters").get<std::uint64_t>())
        << each.at("model");
    published += each.at("published") == kNone ? 0 : 1;
  }
  EXPECT_GE(published, 40U);
}

// Positions are as many as the model has, however long the sequences of a step are.
TEST(PublishedParameters, DoNotDependOnTheSequence) {
  for (const nlohmann::json& each : models())
    EXPECT_EQ(parameter_count(model_of(each.at("config"), {.seq = 64})),
              each.at("parameters").get<std::uint64_t>())
        << each.at("model");
}

// What is exchanged between ranks are the parameters of the layers.
TEST(PublishedParameters, AreThoseOfAllLayers) {
  const TrainingLaw law{
      .products = {{"bf16", {.peak = FlopsPerSecond{3e14}, .bandwidth = BytesPerSecond{1e12}}}},
      .flash_forward = FlopsPerSecond{1e14},
      .flash_backward = FlopsPerSecond{1e14},
      .elementwise = BytesPerSecond{1e12}};
  for (const nlohmann::json& each : models()) {
    const ConfiguredModel model = model_of(each.at("config"), {.seq = 64, .precision = "bf16"});
    const TransformerModel decoder{model.shape, law, {}};
    const Workload workload =
        model.encoder ? encoder_decoder_workload({*model.encoder, law, {}}, decoder, "any", 1)
                      : transformer_workload(decoder, "any", 1);
    EXPECT_EQ(parameter_count(workload), each.at("parameters").get<std::uint64_t>())
        << each.at("model");
  }
}

}  // namespace
}  // namespace stepcast
