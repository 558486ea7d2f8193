#include "sim/cli/progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace stepcast {
namespace {

bool is_watched() {
  return ::isatty(STDERR_FILENO) != 0;
}

void clear_line() {
  fmt::print(stderr, "\r{:<60}\r", "");
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), begin_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_)
    clear_line();
}

void Progress::step() {
  ++done_;
  const bool long_enough = std::chrono::steady_clock::now() - begin_ > std::chrono::seconds(1);
  if (!long_enough || !is_watched())
    return;
  shown_ = true;
  const std::string of_all = total_ > 0 ? fmt::format("/{}", total_) : "";
  fmt::print(stderr, "\r{} {}{}", what_, done_, of_all);
}

Elapsed::Elapsed(std::string what) : what_(std::move(what)) {
  if (is_watched())
    thread_ = std::thread([this] { tick(); });
}

Elapsed::~Elapsed() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Elapsed::tick() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; }))
    fmt::print(stderr, "\r{}, {} s", what_, ++seconds);
  if (seconds > 0)
    clear_line();
}

}  // namespace stepcast
