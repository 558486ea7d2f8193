#pragma once

#include <ctime>

#include <gtest/gtest.h>

#include "models/base/units.hpp"

namespace stepcast {

/// Fails the test if the process computes for longer than `limit` while this object lives. The
/// sanitizers check every access to memory, so that eight times as long is allowed under them.
class TimeLimit {
 public:
  explicit TimeLimit(Seconds limit) : limit_(limit) {}
  ~TimeLimit() {
    const double taken = static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
    EXPECT_LT(taken, kFactor * limit_.value) << "s of processor time";
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  TimeLimit(TimeLimit&&) = delete;
  TimeLimit& operator=(TimeLimit&&) = delete;

 private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr double kFactor = 8;
#else
  static constexpr double kFactor = 1;
#endif
  Seconds limit_;
  std::clock_t begin_ = std::clock();
};

}  // namespace stepcast
