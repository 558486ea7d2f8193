#include "sim/engine/event_queue.hpp"

#include <string>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// A late event posted first runs behind all others of its instant, and behind what these post for
// the same instant.
TEST(EventQueue, LateEventsSeeAllElseOfTheirInstant) {
  EventQueue queue(nullptr);
  std::string order;
  queue.late(Seconds{1}, [&] { order += "late "; });
  queue.at(Seconds{1}, [&] {
    order += "a ";
    queue.at(queue.now(), [&] { order += "b "; });
  });
  queue.at(Seconds{2}, [&] { order += "next"; });
  queue.run();
  EXPECT_EQ(order, "a b late next");
}

// Two that are late decide on the same: what the first brings about comes behind both.
TEST(EventQueue, LateEventsOfAnInstantAreARound) {
  EventQueue queue(nullptr);
  std::string order;
  queue.late(Seconds{1}, [&] {
    order += "first ";
    queue.at(queue.now(), [&] { order += "its consequence "; });
  });
  queue.late(Seconds{1}, [&] { order += "second "; });
  queue.run();
  EXPECT_EQ(order, "first second its consequence ");
}

}  // namespace
}  // namespace stepcast
