#include "traces/formats/pipedream/module_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// "weight=1728 bias=64"
std::string tensors(std::string_view description, std::uint64_t elements) {
  std::string text;
  for (const Parameter& parameter : module_parameters(description, elements)) {
    text += text.empty() ? "" : " ";
    text += parameter.name + "=" + std::to_string(parameter.elements);
  }
  return text;
}

TEST(ModuleText, KindIsTheNameBeforeTheArguments) {
  EXPECT_EQ(module_kind("Conv2d(3, 64, kernel_size=(3, 3))"), "Conv2d");
  EXPECT_EQ(module_kind("EmuBidirLSTM(  (bidir): LSTM(1, 2))"), "EmuBidirLSTM");
  EXPECT_EQ(module_kind("Add"), "Add");
  EXPECT_EQ(module_kind("__getitem__(0)"), "__getitem__");
  EXPECT_EQ(module_kind(""), "module");
  EXPECT_EQ(module_kind("b\xff"), "b_");
}

TEST(ModuleText, ConvolutionHasABiasUnlessItSaysOtherwise) {
  EXPECT_EQ(tensors("Conv2d(3, 64, kernel_size=(3, 3), stride=(1, 1))", 1792),
            "weight=1728 bias=64");  // 3 x 64 x 9, 64
  EXPECT_EQ(tensors("Conv2d(3, 64, kernel_size=(3, 3), bias=False)", 1728), "weight=1728");
}

TEST(ModuleText, GroupsDivideTheInputs) {
  EXPECT_EQ(tensors("Conv2d(88, 88, kernel_size=(3, 3), groups=88, bias=False)", 792),
            "weight=792");  // 1 x 88 x 9
}

TEST(ModuleText, LinearAndBatchNormAreSplit) {
  EXPECT_EQ(tensors("Linear(in_features=4, out_features=10, bias=True)", 50), "weight=40 bias=10");
  EXPECT_EQ(tensors("BatchNorm2d(64, eps=1e-05, affine=True)", 128), "weight=64 bias=64");
}

TEST(ModuleText, WhatDoesNotAddUpStaysOneTensor) {
  EXPECT_EQ(tensors("Linear(in_features=4, out_features=10, bias=True)", 51), "parameters=51");
  EXPECT_EQ(tensors("LSTM(1024, 1024)", 8396800), "parameters=8396800");
  EXPECT_EQ(tensors("Conv2d(", 7), "parameters=7");
  EXPECT_EQ(tensors("Conv2d(18446744073709551615, 3, kernel_size=(9, 9), groups=0)", 7),
            "parameters=7");
}

TEST(ModuleText, ModuleWithoutParametersHasNoTensor) {
  EXPECT_EQ(tensors("BatchNorm2d(64, affine=False)", 0), "");
}

}  // namespace
}  // namespace stepcast
