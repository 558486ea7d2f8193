#include "sim/engine/interruption.hpp"

#include <gtest/gtest.h>

#include "sim/engine/event_queue.hpp"

namespace stepcast {
namespace {

TEST(Interruption, EndsASimulationThatWouldGoOnForEver) {
  EventQueue queue;
  int events = 0;
  const std::function<void()> again = [&] {
    if (++events == 1000)
      interrupt();
    queue.after({1}, [&] { again(); });
  };
  queue.at({0}, [&] { again(); });
  EXPECT_THROW(queue.run(), Interrupted);
  EXPECT_EQ(events, 1000);
  forget_interruption();
  check_interruption();
}

}  // namespace
}  // namespace stepcast
