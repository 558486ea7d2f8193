#pragma once

#include <ctime>

#include <gtest/gtest.h>

#include "models/base/units.hpp"

extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace stepcast {

/// Fails the test if the process computes for longer than `limit` while this object lives. The
/// sanitizers check every access to memory, so that eight times as long is allowed under them.
class TimeLimit {
 public:
  explicit TimeLimit(Seconds limit) : limit_(limit) {}
  ~TimeLimit() {
    const double taken = static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
    EXPECT_LT(taken, factor() * limit_.value) << "s of processor time";
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  TimeLimit(TimeLimit&&) = delete;
  TimeLimit& operator=(TimeLimit&&) = delete;

 private:
  /// Eight where the process runs on a library of the sanitizers; the tests' own objects are
  /// compiled without them.
  static double factor() { return __asan_init != nullptr || __tsan_init != nullptr ? 8 : 1; }

  Seconds limit_;
  std::clock_t begin_ = std::clock();
};

}  // namespace stepcast
