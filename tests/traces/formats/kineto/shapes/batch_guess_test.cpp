#include <gtest/gtest.h>

#include "traces/formats/kineto/shapes/input_shapes.hpp"

namespace stepcast {
namespace {

using Inputs = std::vector<std::vector<double>>;

InputShapes shapes_of(const std::vector<std::pair<std::string, Inputs>>& operators) {
  InputShapes shapes;
  for (const auto& [name, inputs] : operators)
    shapes.add(name, inputs);
  return shapes;
}

TEST(BatchGuess, IsTheCommonestLeadingDimensionOfLayers) {
  // Two of three have 32 in front; what other operators take does not count.
  const BatchGuess guess = guess_batch(shapes_of({{"aten::permute", {{224, 224, 3}}},
                                                  {"aten::conv2d", {{32, 3, 224, 224}, {64, 3}}},
                                                  {"aten::linear", {{32, 512}, {1000, 512}}},
                                                  {"aten::linear", {{11, 512}, {1000, 512}}},
                                                  {"aten::mm", {{64, 4096}}},
                                                  {"aten::mm", {{64, 4096}}},
                                                  {"aten::mm", {{64, 4096}}}}));
  EXPECT_EQ(guess.batch, 32U);
  EXPECT_EQ(guess.evidence,
            "32 is the leading dimension of 2 of 3 inputs of convolutions and linear layers");
  EXPECT_FALSE(guess.split);
}

TEST(BatchGuess, KernelsTellItWhereTheModelsCallsAreNotRecorded) {
  // As a compiled graph calls them; addmm's first input is the bias.
  const BatchGuess guess = guess_batch(
      shapes_of({{"aten::convolution", {{16, 3, 8, 8}}}, {"aten::addmm", {{10}, {16, 64}}}}));
  EXPECT_EQ(guess.batch, 16U);
  EXPECT_EQ(guess.evidence,
            "16 is the leading dimension of 2 of 2 inputs of convolution and matrix kernels");
}

TEST(BatchGuess, SequencesComeBeforeTheBatchInSomeTransformers) {
  // Length 512, batch 4 and width 64, as attention over [batch, heads, length, width] shows.
  const BatchGuess guess =
      guess_batch(shapes_of({{"aten::linear", {{512, 4, 64}}},
                             {"aten::linear", {{512, 4, 256}}},
                             {"aten::scaled_dot_product_attention", {{4, 8, 512, 8}}}}));
  EXPECT_EQ(guess.batch, 4U);
  EXPECT_EQ(
      guess.evidence,
      "512 is the leading dimension of 2 of 2 inputs of convolutions and linear layers: the length "
      "of sequences, of which there are 4");
}

TEST(BatchGuess, RowsOfLayersMayBeTheTokensOfABatch) {
  // 2,048 rows are 4 sequences of 512 tokens, whose numbers an embedding takes. The positions,
  // one sequence of 512, make no 2,048 rows.
  const BatchGuess guess = guess_batch(shapes_of({{"aten::linear", {{2048, 64}}},
                                                  {"aten::embedding", {{50000, 64}, {4, 512}}},
                                                  {"aten::embedding", {{512, 64}, {1, 512}}}}));
  EXPECT_EQ(guess.batch, 4U);
  EXPECT_EQ(guess.evidence,
            "2048 is the leading dimension of 1 of 1 inputs of convolutions and linear layers: 4 "
            "sequences of 512");
}

TEST(BatchGuess, ABatchThatIsTheSequencesOwnStays) {
  const BatchGuess guess = guess_batch(shapes_of(
      {{"aten::linear", {{16, 559, 1024}}}, {"aten::embedding", {{151936, 1024}, {16, 559}}}}));
  EXPECT_EQ(guess.batch, 16U);
}

TEST(BatchGuess, InputsThatDisagreeAreSplit) {
  EXPECT_TRUE(guess_batch(shapes_of({{"aten::linear", {{7, 2}}},
                                     {"aten::linear", {{8, 2}}},
                                     {"aten::linear", {{9, 2}}}}))
                  .split);
}

TEST(BatchGuess, WithoutShapesItSaysSo) {
  const BatchGuess guess = guess_batch({});
  EXPECT_EQ(guess.batch, 0U);
  EXPECT_EQ(guess.evidence, "no shapes of inputs of convolutions or linear layers are recorded");
}

TEST(BatchGuess, DamagedShapesAreNotCounted) {
  const InputShapes shapes = shapes_of({{"aten::linear", {{-1, 2}}},
                                        {"aten::linear", {{4294967296, 2}}},
                                        {"aten::linear", {{}}},
                                        {"aten::addmm", {{10}}}});
  EXPECT_EQ(guess_batch(shapes).batch, 0U);
}

}  // namespace
}  // namespace stepcast
