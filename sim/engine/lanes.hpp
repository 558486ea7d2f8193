#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/program.hpp"

namespace stepcast {

using LaneId = std::uint32_t;

/// The streams of every class on which tasks run in order: what runs there now, or will run next.
/// Compute and communication may follow each other on a stream. A lane knows nothing of
/// dependencies.
class Lanes {
 public:
  struct Head {
    std::uint32_t iteration = 0;
    StepId step = 0;
    bool operator==(const Head&) const = default;
  };

  Lanes(const Program& program, std::size_t classes, std::size_t streams);

  LaneId of(ClassId rank_class, StreamId stream) const {
    return static_cast<LaneId>(rank_class * streams_ + stream);
  }
  ClassId class_of(LaneId lane) const { return lanes_[lane].rank_class; }
  StreamId stream_of(LaneId lane) const { return lanes_[lane].stream; }

  bool is_empty(LaneId lane) const { return lanes_[lane].steps.empty(); }
  bool is_busy(LaneId lane) const { return lanes_[lane].busy; }

  /// What runs, or runs next. Precondition: not empty.
  Head head(LaneId lane) const {
    return {lanes_[lane].iteration, lanes_[lane].steps[lanes_[lane].position]};
  }
  void occupy(LaneId lane) { lanes_[lane].busy = true; }
  void advance(LaneId lane);  ///< The head is done; the step behind it is next.

  /// The head computes from `now` on: `work` that takes `slowness` times as long.
  void begin(LaneId lane, Seconds work, double slowness, Seconds now);
  /// It goes on at another speed; false if that is the one it has.
  bool change_speed(LaneId lane, double slowness, Seconds now);
  Seconds end(LaneId lane) const {
    return lanes_[lane].since + lanes_[lane].remaining * lanes_[lane].slowness;
  }
  Seconds remaining(LaneId lane, Seconds now) const {
    return lanes_[lane].remaining - (now - lanes_[lane].since) / lanes_[lane].slowness;
  }
  /// Changes with each begin and change of speed: tells an end that was overtaken.
  std::uint32_t version(LaneId lane) const { return lanes_[lane].version; }

 private:
  struct Lane {
    ClassId rank_class = 0;
    StreamId stream = 0;
    std::span<const StepId> steps;
    std::size_t position = 0;
    std::uint32_t iteration = 0;
    std::uint32_t version = 0;
    bool busy = false;
    Seconds remaining{};  // work left at `since`
    Seconds since{};
    double slowness = 1;  // time per work
  };

  std::size_t streams_;
  std::vector<Lane> lanes_;
};

}  // namespace stepcast
