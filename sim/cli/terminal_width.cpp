#include "sim/cli/terminal_width.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace stepcast {

std::size_t terminal_width(bool is_terminal, const char* columns, std::size_t said) {
  constexpr std::size_t kUsual = 100;
  if (!is_terminal)
    return kUsual;
  const std::string_view text(columns != nullptr ? columns : "");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error == std::errc{} && end == text.data() + text.size() && width > 0)
    return width;
  return said > 0 ? said : kUsual;
}

std::size_t terminal_width() {
  winsize size{};
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const bool is_known = is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return terminal_width(is_terminal, std::getenv("COLUMNS"), is_known ? size.ws_col : 0U);
}

}  // namespace stepcast
