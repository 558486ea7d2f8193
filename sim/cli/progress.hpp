#pragma once

#include <chrono>
#include <cstddef>
#include <string>

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

}  // namespace stepcast
