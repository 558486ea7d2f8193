// Arguments, one a line, of commands that start no other process. What they print is thrown away.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "sim/cli/command_line.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"

namespace stepcast::fuzz {
namespace {

/// Commands whose options name outputs or that fork would write all over the place.
constexpr std::array kCommands{"run",     "list",   "show",    "collective", "explain",
                               "inspect", "schema", "version", "help",       "--help"};
constexpr std::array kRefused{"--timeline", "--export", "-o",         "--out", "--csv",
                              "--figure",   "--svg",    "--max-time", "--pl",  "--json-lines"};

bool is_tried(const std::vector<std::string>& arguments) {
  if (arguments.empty() || std::ranges::find(kCommands, arguments.front()) == kCommands.end())
    return false;
  return std::ranges::none_of(arguments, [](const std::string& argument) {
    // Large clusters are slow, not wrong; files of the machine are no input of a fuzzer.
    const auto digits = std::ranges::count_if(
        argument, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    const bool writes =
        std::ranges::any_of(kRefused, [&](const char* name) { return argument.starts_with(name); });
    return writes || argument.find('\0') != std::string::npos || argument.starts_with('/') ||
           argument.find("dev/") != std::string::npos || (digits > 3 && argument.size() < 12);
  });
}

/// Nothing is shown while it lives.
class Muted {
 public:
  Muted() {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      std::fflush(stream == STDOUT_FILENO ? stdout : stderr);
      kept_[stream - 1] = ::dup(stream);
      const int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, stream);
      ::close(nowhere);
    }
  }
  ~Muted() {
    std::fflush(stdout);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      ::dup2(kept_[stream - 1], stream);
      ::close(kept_[stream - 1]);
    }
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  int kept_[2]{};
};

}  // namespace

bool accepts_command_line(std::string_view text) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 0);
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    arguments.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!is_tried(arguments))
    return false;
  std::vector<const char*> pointers{"stepcast"};
  for (const std::string& argument : arguments)
    pointers.push_back(argument.c_str());
  int exit_code = 0;
  {
    const Muted muted;
    exit_code = run_command_line(static_cast<int>(pointers.size()), pointers.data());
  }
  require(exit_code == 0 || exit_code == 2 || exit_code == 3, "a command answers or refuses");
  return exit_code == 0;
}

}  // namespace stepcast::fuzz
