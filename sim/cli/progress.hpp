#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace stepcast {

/// One line on stderr that counts, only on a terminal and only once work has taken a second; gone
/// when the object dies.
class Progress {
 public:
  /// `total` 0: how many there will be is not known.
  explicit Progress(std::string what, std::size_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();

 private:
  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
};

/// The same for work that cannot be counted: says for how long it has been under way, from a thread
/// of its own. Must not be alive when the process forks.
class Elapsed {
 public:
  explicit Elapsed(std::string what);
  ~Elapsed();
  Elapsed(const Elapsed&) = delete;
  Elapsed& operator=(const Elapsed&) = delete;

 private:
  void tick();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace stepcast
