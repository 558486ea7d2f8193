#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/cli/command_line.hpp"

namespace stepcast {

/// What a command line did.
struct Outcome {
  int exit_code = 0;
  std::string out;  ///< stdout
  std::string err;  ///< stderr
};

/// `text` without the lines of a Heartbeat, which come where the machine is slow.
inline std::string without_heartbeats(const std::string& text) {
  std::string rest;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (!line.starts_with("stepcast "))  // all other lines: "stepcast: "
      rest += line;
  }
  return rest;
}

/// Runs the whole program in this process, on the data files of a folder: of the source tree.
inline Outcome run_cli(const std::vector<std::string>& arguments,
                       const std::string& data = STEPCAST_SOURCE_DIR) {
  ::setenv("STEPCAST_DATA", data.c_str(), 1);
  std::vector<const char*> pointers{"stepcast"};
  for (const std::string& argument : arguments)
    pointers.push_back(argument.c_str());
  Outcome outcome;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  outcome.exit_code = run_command_line(static_cast<int>(pointers.size()), pointers.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = without_heartbeats(testing::internal::GetCapturedStderr());
  return outcome;
}

/// A fresh folder for one test, gone at the end of it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stepcast-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Path of a file in it; "" for the folder itself.
  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// The same, after writing it.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace stepcast
