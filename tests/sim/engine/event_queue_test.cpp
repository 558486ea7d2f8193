#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// A late event posted first runs behind all others of its instant, and behind what these post for
// the same instant.
TEST(EventQueue, LateEventsSeeAllElseOfTheirInstant) {
  EventQueue queue;
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
  EventQueue queue;
  std::string order;
  queue.late(Seconds{1}, [&] {
    order += "first ";
    queue.at(queue.now(), [&] { order += "its consequence "; });
  });
  queue.late(Seconds{1}, [&] { order += "second "; });
  queue.run();
  EXPECT_EQ(order, "first second its consequence ");
}

// Between two events of one instant a thousand others of other instants are posted, so that the
// queue does not remember the first; and late ones of the same time come behind both.
TEST(EventQueue, EventsOfAnInstantRunInTheOrderOfPosting) {
  EventQueue queue;
  std::string order;
  int others = 0;
  for (const char each : {'a', 'b', 'c'}) {
    queue.late(Seconds{1}, [&order] { order += '-'; });
    queue.at(Seconds{1}, [&order, each] { order += each; });
    for (int i = 1; i <= 1000; ++i)
      queue.at(Seconds{i * 1e-4}, [&others] { ++others; });
  }
  queue.run();
  EXPECT_EQ(order, "abc---");
  EXPECT_EQ(others, 3000);
}

// What an event posts for its own instant comes behind all that was posted for it before, and what
// is posted for a time gone by happens now.
TEST(EventQueue, AnInstantGrowsWhileItHappens) {
  EventQueue queue;
  std::string order;
  queue.at(Seconds{1}, [&] {
    order += "a ";
    queue.at(Seconds{0}, [&] { order += "c "; });
  });
  queue.at(Seconds{1}, [&] { order += "b "; });
  queue.run();
  EXPECT_EQ(order, "a b c ");
}

// More than are kept sorted, of few times, as others are taken away.
TEST(InstantsBySoonest, ComeInTheOrderOfTimeLatenessAndPosting) {
  std::mt19937 random(7);
  InstantsBySoonest instants;
  std::vector<DueInstant> expected;
  const auto take = [&] {
    const auto first = std::ranges::min_element(
        expected, [](const DueInstant& a, const DueInstant& b) { return b.is_behind(a); });
    ASSERT_FALSE(instants.empty());
    EXPECT_EQ(instants.front().instant, first->instant);
    instants.pop();
    expected.erase(first);
  };
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::uint64_t late = random() % 4 == 0 ? DueInstant::kLate : 0;
    expected.push_back({static_cast<double>(random() % 50), i | late, i});
    instants.push(expected.back());
    if (random() % (i < 1500 ? 3 : 1) == 0)
      take();
  }
  while (!expected.empty())
    take();
  EXPECT_TRUE(instants.empty());
}

}  // namespace
}  // namespace stepcast
