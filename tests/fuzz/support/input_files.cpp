#include "tests/fuzz/support/input_files.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <unistd.h>

namespace stepcast::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNextFile = "\n---\n";

}  // namespace

const fs::path& input_folder() {
  static const fs::path path = [] {
    std::string name = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string();
    name += "/stepcast-fuzz-XXXXXX";
    const fs::path made = ::mkdtemp(name.data());
    std::atexit([] { fs::remove_all(input_folder()); });
    return made;
  }();
  return path;
}

std::vector<fs::path> written_inputs(std::string_view text, std::size_t most) {
  for (const auto& left : fs::directory_iterator(input_folder()))
    fs::remove(left.path());
  std::vector<fs::path> paths;
  while (paths.size() < most) {
    const std::size_t end = text.find(kNextFile);
    paths.push_back(input_folder() / ("rank" + std::to_string(paths.size())));
    std::ofstream(paths.back(), std::ios::binary) << text.substr(0, end);
    if (end == text.npos)
      break;
    text.remove_prefix(end + kNextFile.size());
  }
  return paths;
}

}  // namespace stepcast::fuzz
