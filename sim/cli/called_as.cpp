#include "sim/cli/called_as.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace stepcast {
namespace {

constexpr std::string_view kName = "stepcast";
constexpr std::string_view kPlain = "/._-+,:@%~=";  // A shell takes these for themselves.

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
}

std::string quoted_for_shell(const std::string& text) {
  if (text.front() != '~' && std::ranges::all_of(text, is_plain))
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string called_as() {
  return called_as(program_invocation_name);
}

std::string called_as(const std::string& argument_0) {
  const std::size_t slash = argument_0.rfind('/');
  const bool on_path = slash == std::string::npos;
  const bool other = !on_path && argument_0.substr(slash + 1) != kName;
  const bool unprintable = std::ranges::any_of(
      argument_0, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
  return on_path || other || unprintable ? std::string(kName) : quoted_for_shell(argument_0);
}

}  // namespace stepcast
