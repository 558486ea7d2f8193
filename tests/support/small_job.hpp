#pragma once
// A job of two ranks and one step, laid out by hand.

#include <cstdint>

#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

inline void expect_ms(Seconds time, double expected) {
  EXPECT_NEAR(1e3 * time.value, expected, 1e-9);
}

enum SmallKind : std::uint16_t { kForward, kReduce, kCopy, kSend };

/// Two ranks, one step; an operation a row: rank, kind, stream, begin and end in ms.
class SmallJob {
 public:
  SmallJob() {
    job_.ranks = {{.number = 0}, {.number = 1, .data = 1}};
    job_.gpus = 2;
    job_.kinds = {{.name = "forward", .work = JobWork::Forward, .part = "forward"},
                  {.name = "all-reduce", .work = JobWork::Transfer, .part = "all-reduce"},
                  {.name = "Memcpy HtoD", .part = "input-copy", .copies = true},
                  {.name = "send",
                   .work = JobWork::Transfer,
                   .part = "send",
                   .purpose = JobPurpose::Message}};
    job_.steps = {{.name = "1"}};
  }

  std::uint32_t add(std::uint32_t rank, SmallKind kind, std::uint8_t stream, double begin,
                    double end) {
    job_.steps[0].operations.push_back({.rank = rank,
                                        .kind = kind,
                                        .stream = stream,
                                        .begin = Seconds{1e-3 * begin},
                                        .end = Seconds{1e-3 * end}});
    return static_cast<std::uint32_t>(job_.steps[0].operations.size() - 1);
  }
  void meet(std::uint32_t first, std::uint32_t second, bool message = false) {
    auto& meetings = job_.steps[0].meetings;
    for (const std::uint32_t member : {first, second})
      job_.steps[0].operations[member].meeting = static_cast<std::uint32_t>(meetings.size());
    meetings.push_back({.members = {first, second}, .message = message});
  }
  void edge(std::uint32_t before, std::uint32_t after) {
    job_.steps[0].edges.emplace_back(before, after);
  }
  Diagnosis diagnosis() const { return diagnose(job_); }
  Job& job() { return job_; }

 private:
  Job job_;
};

// Rank 0 computes 0-4 and 5-8 ms, of which 1 ms is its host's, and reduces from 4 on; rank 1 comes
// at 7, so that the sum of 3 ms ends at 10. Rank 0 copies 8-9 and 11-12 ms.
inline SmallJob overlapping() {
  SmallJob small;
  const auto first = small.add(0, kForward, 1, 0, 4);
  const auto sum = small.add(0, kReduce, 2, 4, 10);
  const auto second = small.add(0, kForward, 1, 5, 8);
  const auto copy = small.add(0, kCopy, 3, 8, 9);
  const auto last = small.add(0, kCopy, 3, 11, 12);
  const auto other = small.add(1, kForward, 1, 0, 7);
  const auto others_sum = small.add(1, kReduce, 2, 7, 10);
  small.edge(first, sum);
  small.edge(first, second);
  small.edge(second, copy);
  small.edge(sum, last);
  small.edge(other, others_sum);
  small.meet(sum, others_sum);
  return small;
}

}  // namespace stepcast
