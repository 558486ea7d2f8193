#include "sim/engine/lanes.hpp"

namespace stepcast {

Lanes::Lanes(const Program& program, std::size_t classes, std::size_t streams)
    : streams_(streams), lanes_(classes * streams) {
  for (ClassId id = 0; id < classes; ++id)
    for (StreamId stream = 0; stream < streams; ++stream) {
      Lane& lane = lanes_[of(id, stream)];
      lane.rank_class = id;
      lane.stream = stream;
      lane.steps = program.rows.of(id, stream);
    }
}

void Lanes::advance(LaneId id) {
  Lane& lane = lanes_[id];
  lane.busy = false;
  if (++lane.position == lane.steps.size()) {
    lane.position = 0;
    ++lane.iteration;
  }
}

void Lanes::begin(LaneId id, Seconds work, double slowness, Seconds now) {
  Lane& lane = lanes_[id];
  lane.busy = true;
  lane.remaining = work;
  lane.since = now;
  lane.slowness = slowness;
  ++lane.version;
}

bool Lanes::change_speed(LaneId id, double slowness, Seconds now) {
  Lane& lane = lanes_[id];
  if (lane.slowness == slowness)
    return false;
  lane.remaining = remaining(id, now);
  lane.since = now;
  lane.slowness = slowness;
  ++lane.version;
  return true;
}

}  // namespace stepcast
