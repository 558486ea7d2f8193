// A process of its own for every simulation that needs SimGrid: what comes back, and how it ends.
#include "sim/engine/process/simulation_process.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/interruption.hpp"
#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/repeats.hpp"
#include "sim/workers/workers.hpp"
#include "tests/support/flow_arrivals.hpp"

namespace stepcast {
namespace {

using namespace std::chrono_literals;

/// What `body` returns in a process of its own.
template <class Body>
auto in_child(Body body) {
  return simulate_alone([&] {
    SimulationProcess::enter();
    return body();
  });
}

/// The text of the exception of this type that comes out of the child.
template <class Exception>
std::string text_of(void (*fails)()) {
  try {
    in_child([&] {
      fails();
      return 0;
    });
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Three flows that meet at node 0, so that SimGrid is needed.
std::vector<double> ends_of_three() {
  std::vector<examples::StartedFlow> flows;
  for (const Rank from : {2U, 4U, 6U})
    flows.push_back({examples::far(from, 0, 1e6 + 1e5 * from), Seconds{1e-4 * from}});
  return examples::arrivals_of(examples::plain_cluster(4, 2), flows);
}

TEST(SimulationProcess, WhatNeedsNoSimGridStaysInItsProcess) {
  EXPECT_EQ(simulate_alone([] { return ::getpid(); }), ::getpid());
}

TEST(SimulationProcess, WhatNeedsSimGridGoesOnInAChildThatEnds) {
  const pid_t child = in_child([] { return ::getpid(); });
  EXPECT_NE(child, ::getpid());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // none is left
}

TEST(SimulationProcess, NestedListsAndLargeOnesComeBackAsTheyWere) {
  std::vector<std::vector<double>> lists{{}, {1.5, -2}, std::vector<double>(1'000'000, 0.1), {3}};
  lists[2][999'999] = 7;
  EXPECT_EQ(in_child([&] { return lists; }), lists);
}

TEST(SimulationProcess, CountersOfTheChildAreAddedToThoseOfTheParent) {
  const auto before = folding_use().met;
  in_child([] { return folding_use().met += 5; });
  EXPECT_EQ(folding_use().met, before + 5);
}

TEST(SimulationProcess, WhatIsThrownInTheChildIsThrownInTheParent) {
  EXPECT_EQ(text_of<InputError>([] { throw InputError("file: /field"); }), "file: /field");
  EXPECT_EQ(text_of<SimulationError>([] { throw SimulationError("stuck"); }), "stuck");
  EXPECT_EQ(text_of<StepsDiffer>([] { throw StepsDiffer("differ"); }), "differ");
  EXPECT_EQ(text_of<std::exception>([] { throw std::out_of_range("beyond"); }), "beyond");
  EXPECT_EQ(text_of<std::bad_alloc>([] { throw std::bad_alloc(); }), "std::bad_alloc");
  EXPECT_EQ(text_of<std::exception>([] { throw 3; }), "an unknown failure");
  EXPECT_THROW(in_child([]() -> int { throw FoldingRefuted(); }), FoldingRefuted);
}

// Ctrl-C in Python comes to the parent, which must not wait for the end of the simulation.
TEST(SimulationProcess, AnInterruptionOfTheParentEndsTheChild) {
  std::thread interrupts([] {
    std::this_thread::sleep_for(50ms);
    interrupt();
  });
  EXPECT_THROW(in_child([] { return ::pause(); }), Interrupted);
  interrupts.join();
  forget_interruption();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

// A study asks to finish its job at the first signal of the terminal, which reaches all processes.
TEST(SimulationProcess, SignalsOfTheTerminalAreTheParentsAffair) {
  EXPECT_EQ(in_child([] {
              for (const int signal : {SIGINT, SIGTERM, SIGHUP})
                ::raise(signal);
              return 3;
            }),
            3);
}

// The parent ended as its child did: the out-of-memory killer took whole Python interpreters, and
// the command line ended without a word.
TEST(SimulationProcess, ASignalThatEndsTheChildIsAnErrorOfTheParent) {
  for (const auto& [signal, words, is_crash] : {std::tuple{SIGKILL, "9 (Killed)", false},
                                                {SIGSEGV, "11 (Segmentation fault)", true},
                                                {SIGABRT, "6 (Aborted)", true},
                                                {SIGXCPU, "24 (CPU time limit exceeded)", false},
                                                {SIGUSR1, "10 (User defined signal 1)", false}}) {
    try {
      in_child([signal = signal] {
        std::signal(signal, SIG_DFL);
        return ::raise(signal);
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const SimulationKilled& killed) {
      EXPECT_EQ(killed.signal(), signal);
      EXPECT_EQ(killed.is_crash(), is_crash);
      EXPECT_EQ(killed.what(),
                std::string("the process in which SimGrid simulates was ended by signal ") + words);
    }
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  }
  EXPECT_EQ(in_child([] { return 3; }), 3);  // The next simulation finds nothing of the last.
}

// A terminal or a batch system signals all processes: both end.
TEST(SimulationProcessDeathTest, ASignalThatIsMeantForBothEndsTheParentToo) {
  for (const int signal : {SIGHUP, SIGQUIT})
    EXPECT_EXIT(in_child([signal] {
                  std::signal(signal, SIG_DFL);  // a shell's job in the background ignores SIGQUIT
                  return ::raise(signal);
                }),
                ::testing::KilledBySignal(signal), "");
}

// A handler without SA_RESTART, as Python's: the wait for the child ended early, and the child was
// said to have ended with exit code 0.
TEST(SimulationProcess, AHandledSignalDoesNotEndTheWaitForTheChild) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 1000}, {0, 1000}};
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  EXPECT_EQ(text_of<SimulationError>([] {
              for (int descriptor = 3; descriptor < 100; ++descriptor)
                ::close(descriptor);  // the parent finds the pipe closed, and waits from here on
              std::this_thread::sleep_for(50ms);
              ::_exit(7);
            }),
            "the process in which SimGrid simulates ended with exit code 7");
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
}

TEST(SimulationProcess, AChildThatExitsEarlyIsAnError) {
  EXPECT_EQ(text_of<SimulationError>([] { ::_exit(7); }),
            "the process in which SimGrid simulates ended with exit code 7");
}

// The process in between is killed, which leaves it no time to end its child.
TEST(SimulationProcess, TheChildEndsWithItsParentHoweverThatEnds) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    in_child([&] {
      const pid_t own = ::getpid();
      if (::write(ends[1], &own, sizeof own) != sizeof own)
        ::_exit(1);
      return ::pause();
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  char nothing = 0;
  EXPECT_EQ(::read(ends[0], &nothing, 1), 0);  // the child held the last end for writing
  ::close(ends[0]);
}

TEST(SimulationProcess, WhatIsBufferedIsWrittenOnce) {
  ::testing::internal::CaptureStdout();
  std::printf("once");
  ends_of_three();
  std::fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "once");
}

TEST(SimulationProcess, AProcessThatMayOpenNoPipeSaysSo) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::string text = text_of<SimulationError>([] {});
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(text, "cannot open a pipe for SimGrid: Too many open files");
}

TEST(SimulationProcess, SimGridIsForSimulationsOnly) {
  EXPECT_THROW(SimulationProcess::enter(), std::logic_error);
  EXPECT_THROW(simulate_alone([] { return simulate_alone([] { return 1; }); }), std::logic_error);
}

// SimGrid's context is a variable of each thread: null in any but the one that made the engine.
TEST(SimulationProcess, EveryThreadMaySimulate) {
  const std::vector<double> expected = ends_of_three();
  for (int i = 0; i < 3; ++i) {
    std::vector<double> ends;
    std::thread([&] { ends = ends_of_three(); }).join();
    EXPECT_EQ(ends, expected) << i;
    EXPECT_EQ(ends_of_three(), expected) << i;
  }
}

// Our clock and SimGrid's take turns; a difference of one bit would move the ends of flows.
TEST(SimulationProcess, SimGridsClockGoesOnToADateExactly) {
  const auto missed = simulate_alone([] {
    SimGrid& simgrid = simgrid_for(examples::plain_cluster(2, 1));
    std::mt19937_64 random(3);
    std::vector<double> wrong;
    double date = 0;
    for (int i = 0; i < 2000; ++i) {
      date += std::pow(10.0, static_cast<double>(random() % 12) - 9) *
              static_cast<double>(random() % 1'000'003);
      simgrid.advance_to(date);
      if (simgrid.clock() != date)
        wrong.push_back(date);
    }
    return wrong;
  });
  EXPECT_EQ(missed, std::vector<double>{});
}

// The kernel kills the process that holds the memory, which is the worker's own child.
TEST(SimulationProcess, AWorkersJobWhoseSimulationIsKilledIsTriedOnceMore) {
  const auto job = [](std::uint32_t number) -> std::string {
    return simulate_alone([number] {
      SimulationProcess::enter();
      if (number == 1)
        ::raise(SIGKILL);
      return std::to_string(number);
    });
  };
  const auto outcomes = outcomes_on_workers(3, {.workers = 2}, job);
  EXPECT_EQ(outcomes[1].ending, JobOutcome::Ending::Died);
  EXPECT_EQ(outcomes[1].text, "its worker process died twice, the last time of signal 9 (Killed)");
  EXPECT_EQ(outcomes[0].text + outcomes[2].text, "02");
}

}  // namespace
}  // namespace stepcast
