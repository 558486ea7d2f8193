#include <map>

#include <gtest/gtest.h>

#include "traces/catalog.hpp"
#include "traces/formats/stepcast/device_reader.hpp"

namespace stepcast {
namespace {

TEST(DeviceNames, AProfilersNameFindsTheShippedDevice) {
  EXPECT_EQ(find_device_called("NVIDIA GeForce RTX 2080 Ti"), "rtx2080ti");
  EXPECT_EQ(find_device_called("Tesla V100-SXM2-16GB"), "v100");
}

TEST(DeviceNames, AnotherModelOfTheFamilyIsNotMeant) {
  EXPECT_EQ(find_device_called("Tesla V100-PCIE-16GB"), std::nullopt);
  EXPECT_EQ(find_device_called("NVIDIA GeForce RTX 2080"), std::nullopt);
  EXPECT_EQ(find_device_called(""), std::nullopt);
}

TEST(DeviceNames, NoNameIsClaimedTwice) {
  std::map<std::string, std::string> owners;
  for (const std::string& device : list_names(CatalogKind::Device))
    for (const std::string& name : read_profiler_names(find_file(CatalogKind::Device, device)))
      EXPECT_TRUE(owners.emplace(name, device).second) << name;
  EXPECT_FALSE(owners.empty());
}

}  // namespace
}  // namespace stepcast
