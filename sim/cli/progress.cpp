#include "sim/cli/progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace stepcast {

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), begin_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_)
    fmt::print(stderr, "\r{:<60}\r", "");
}

void Progress::step() {
  ++done_;
  const bool long_enough = std::chrono::steady_clock::now() - begin_ > std::chrono::seconds(1);
  if (!long_enough || ::isatty(STDERR_FILENO) == 0)
    return;
  shown_ = true;
  const std::string of_all = total_ > 0 ? fmt::format("/{}", total_) : "";
  fmt::print(stderr, "\r{} {}{}", what_, done_, of_all);
}

}  // namespace stepcast
