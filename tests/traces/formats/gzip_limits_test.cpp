#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/chrome_json/byte_source.hpp"
#include "traces/formats/gzip.hpp"
#include "traces/json/file_limits.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

/// A file of 200 MiB of spaces, which gzip packs to about a thousandth.
class GzipBomb : public ::testing::Test {
 protected:
  GzipBomb() {
    std::string name = (fs::temp_directory_path() / "stepcast-gzip-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "bomb.json.gz";
    const gzFile file = gzopen(path_.c_str(), "wb1");
    const std::string spaces(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 200; ++i)
      gzwrite(file, spaces.data(), static_cast<unsigned>(spaces.size()));
    gzclose(file);
  }
  ~GzipBomb() override { fs::remove_all(folder_); }

  void read_all() const {
    const auto source = open_file(path_);
    std::string buffer(std::size_t{1} << 20, '\0');
    while (source->read(buffer) > 0) {
    }
  }
  std::string refusal() const {
    return path_.string() +
           ": unpacks to more than 200 times its size, which no profile does; "
           "STEPCAST_MAX_RATIO=NUMBER allows more";
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(GzipBomb, IsRefusedAsAStream) {
  EXPECT_EQ(input_error_of([&] { read_all(); }), refusal());
}

TEST_F(GzipBomb, IsRefusedAsAText) {
  std::ifstream file(path_, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(input_error_of([&] { gunzip_if_compressed(packed, path_.string()); }), refusal());
}

// It was a limit of -1 times the size.
TEST_F(GzipBomb, ARatioOfNothingIsRefused) {
  for (const char* ratio : {"-1", "0"}) {
    ::setenv("STEPCAST_MAX_RATIO", ratio, 1);
    EXPECT_EQ(
        input_error_of([] { file_limits(); }),
        std::string("STEPCAST_MAX_RATIO: expected a number above 0 such as 1000, found ") + ratio);
  }
  ::unsetenv("STEPCAST_MAX_RATIO");
}

TEST_F(GzipBomb, IsReadWhereTheUserAllowsIt) {
  ::setenv("STEPCAST_MAX_RATIO", "2000", 1);
  const std::string error = input_error_of([&] { read_all(); });
  ::unsetenv("STEPCAST_MAX_RATIO");
  EXPECT_EQ(error, "no error");
}

}  // namespace
}  // namespace stepcast
