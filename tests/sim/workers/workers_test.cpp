#include "sim/workers/workers.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/workers/processor_time.hpp"
#include "sim/workers/stop.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

void nothing() {}

TEST(Workers, ResultsComeInTheOrderOfTheJobs) {
  // The first jobs take longest; results larger than a pipe holds must not block anybody.
  const auto job = [](std::uint32_t number) {
    ::usleep(number < 4 ? 20000 : 0);
    return std::string(100000 * number, static_cast<char>('a' + number));
  };
  std::uint32_t finished = 0;
  const auto results = run_on_workers(9, 4, job, [&] { ++finished; });
  ASSERT_EQ(results.size(), 9U);
  for (std::uint32_t i = 0; i < 9; ++i)
    EXPECT_EQ(results[i], job(i)) << i;
  EXPECT_EQ(finished, 9U);
}

// Sixteen workers ended the study with "cannot open a pipe".
TEST(Workers, FewerFilesGiveFewerWorkersAndTheSameResults) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  int next = ::open("/dev/null", O_RDONLY);  // The lowest number that is free.
  ::close(next);
  const auto job = [](std::uint32_t number) { return std::to_string(number); };
  const auto results_with = [&](rlim_t files) {
    const rlimit few{.rlim_cur = static_cast<rlim_t>(next) + files, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    std::vector<std::string> results;
    try {
      results = run_on_workers(50, 16, job, nothing);
    } catch (const std::system_error& error) {
      results = {error.what()};
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    return results;
  };
  // Two for a pipe, and two that stay free for results.
  for (const rlim_t files : {4U, 5U, 7U, 100U}) {
    const auto results = results_with(files);
    ASSERT_EQ(results.size(), 50U) << results.front();
    EXPECT_EQ(results[49], "49");
  }
  EXPECT_EQ(results_with(1).front(), "cannot open a pipe: Too many open files");
}

TEST(Workers, NoJobsGiveNoResults) {
  EXPECT_TRUE(run_on_workers(
                  0, 4, [](std::uint32_t) { return ""; }, nothing)
                  .empty());
}

TEST(Workers, TheFirstFailureByNumberIsThrownThoughALaterOneIsFaster) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number == 1) {
      ::usleep(50000);
      throw SimulationError("one");
    }
    if (number == 2)
      throw InputError("two");
    return "";
  };
  for (const std::uint32_t workers : {1U, 2U, 8U}) {
    try {
      run_on_workers(8, workers, job, nothing);
      FAIL();
    } catch (const SimulationError& error) {
      EXPECT_STREQ(error.what(), "one");
    }
  }
}

TEST(Workers, AWorkerWithMoreToSayEndsWhenNobodyListens) {
  // Far more than a pipe holds, from both: each would wait for ever if anybody else could read it.
  const auto job = [](std::uint32_t) { return std::string(1'000'000, 'x'); };
  const auto fail = [] { throw std::runtime_error("enough"); };
  EXPECT_THROW(run_on_workers(100, 2, job, fail), std::runtime_error);
}

TEST(Workers, AJobThatKillsItsProcessTwiceIsNamedAndTheOthersAreKept) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number == 1)
      ::raise(SIGKILL);
    return std::to_string(number);
  };
  for (const std::uint32_t workers : {1U, 2U, 3U}) {
    const auto outcomes = outcomes_on_workers(5, {.workers = workers}, job);
    EXPECT_EQ(outcomes[1].ending, JobOutcome::Ending::Died);
    EXPECT_EQ(outcomes[1].text,
              "its worker process died twice, the last time of signal 9 (Killed)");
    for (const std::uint32_t other : {0U, 2U, 3U, 4U})
      EXPECT_EQ(outcomes[other].text, std::to_string(other)) << workers << " workers";
  }
  EXPECT_THROW(run_on_workers(3, 2, job, nothing), std::runtime_error);
}

TEST(Workers, AJobWhoseProcessDiedOnceIsDoneInAFreshOne) {
  const std::string file = testing::TempDir() + "stepcast-died-once";
  std::remove(file.c_str());
  const auto job = [&](std::uint32_t number) -> std::string {
    if (number == 2 && !std::filesystem::exists(file)) {
      std::ofstream{file};
      ::raise(SIGKILL);
    }
    return std::to_string(number);
  };
  const auto results = run_on_workers(4, 2, job, nothing);
  EXPECT_EQ(results, (std::vector<std::string>{"0", "1", "2", "3"}));
  std::remove(file.c_str());
}

TEST(Workers, AJobThatThrowsStopsNoOtherWhereThatIsAsked) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number % 2 == 1)
      throw InputError("odd");
    return "even";
  };
  const auto outcomes = outcomes_on_workers(6, {.workers = 2, .keep_going = true}, job);
  for (std::uint32_t i = 0; i < 6; ++i)
    EXPECT_EQ(outcomes[i].text, i % 2 == 1 ? "odd" : "even");
}

/// Exit status of a process that runs `body`, to which `act(pid)` is done. A shell starts what it
/// runs in the background with SIGINT ignored, which is not what is tested here.
template <class Body, class Act>
int status_of_process(Body body, Act act) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::signal(SIGINT, SIG_DFL);
    handle_signals();
    ::_exit(body());
  }
  act(process);
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

TEST(Workers, ASignalEndsAStudyWithWhatIsThereAndLeavesNoWorker) {
  const std::string file = testing::TempDir() + "stepcast-slow-job";
  std::remove(file.c_str());
  const auto study = [&] {
    const StopsBetweenJobs stops;
    const auto job = [&](std::uint32_t number) -> std::string {
      if (number == 1) {
        std::ofstream(file) << ::getpid() << std::endl;
        ::sleep(60);
      }
      return "done";
    };
    const auto outcomes = outcomes_on_workers(3, {.workers = 1}, job);
    const bool kept = outcomes[0].done() && !outcomes[1].done() && !outcomes[2].done();
    return kept ? 100 + stop_signal() : 1;
  };
  pid_t worker = 0;
  const int status = status_of_process(study, [&](pid_t process) {
    for (int i = 0; i < 500 && worker == 0; ++i) {
      ::usleep(10000);
      std::ifstream(file) >> worker;
    }
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(WEXITSTATUS(status), 100 + SIGINT);
  ASSERT_GT(worker, 0);
  EXPECT_NE(::kill(worker, 0), 0) << "the worker outlived its study";
  std::remove(file.c_str());
}

TEST(Workers, WorkersEndWithTheirParentHoweverItEnds) {
  const std::string file = testing::TempDir() + "stepcast-orphan";
  std::remove(file.c_str());
  const auto study = [&] {
    run_on_workers(
        1, 1,
        [&](std::uint32_t) -> std::string {
          std::ofstream(file) << ::getpid() << std::endl;
          ::sleep(60);
          return "";
        },
        nothing);
    return 0;
  };
  pid_t worker = 0;
  status_of_process(study, [&](pid_t process) {
    for (int i = 0; i < 500 && worker == 0; ++i) {
      ::usleep(10000);
      std::ifstream(file) >> worker;
    }
    ::kill(process, SIGKILL);
  });
  ASSERT_GT(worker, 0);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {  // init may take a moment to bury it
    ::usleep(10000);
    std::ifstream state("/proc/" + std::to_string(worker) + "/stat");
    std::string number, name, letter;
    gone = !(state >> number >> name >> letter) || letter == "Z";
  }
  EXPECT_TRUE(gone);
  std::remove(file.c_str());
}

TEST(Workers, AWorkerDoesOneJobAfterTheOther) {
  int runs = 0;
  const auto results = run_on_workers(
      3, 1, [&](std::uint32_t) { return std::to_string(++runs); }, nothing);
  EXPECT_EQ(results, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(runs, 0);  // here: the worker counted in a memory of its own
}

// A quick worker was heard before the signal was looked at.
TEST(Workers, NoJobBeginsAfterASignal) {
  const StopsBetweenJobs stops;
  const std::string file = testing::TempDir() + "stepcast-jobs-after-a-signal";
  std::remove(file.c_str());
  ask_to_stop(SIGINT);
  const auto job = [&](std::uint32_t) -> std::string {
    std::ofstream(file) << 'x';
    return "";
  };
  for (int i = 0; i < 20; ++i)
    for (const JobOutcome& outcome : outcomes_on_workers(3, {.workers = 2}, job))
      EXPECT_EQ(outcome.ending, JobOutcome::Ending::Missing);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Workers, NoJobBeginsAfterAFailure) {
  const std::string file = testing::TempDir() + "stepcast-jobs-begun";
  std::remove(file.c_str());
  const auto job = [&](std::uint32_t number) -> std::string {
    std::ofstream(file, std::ios::app) << 'x';
    throw InputError(std::to_string(number));
  };
  EXPECT_EQ(input_error_of([&] { run_on_workers(1000, 1, job, nothing); }), "0");
  EXPECT_EQ(std::filesystem::file_size(file), 1U);
  std::remove(file.c_str());
}

// It was tried again, with the whole limit anew, and told as a process that died twice.
TEST(Workers, AJobThatUsedUpItsProcessorTimeEndsTheStudy) {
  const std::string tries =
      std::filesystem::temp_directory_path() / ("stepcast-tries-" + std::to_string(::getpid()));
  const auto job = [&](std::uint32_t number) {
    if (number == 0) {
      std::ofstream(tries, std::ios::app) << 'x';
      std::raise(SIGXCPU);
    }
    return std::string("done");
  };
  try {
    run_on_workers(2, 2, job, nothing);
    ADD_FAILURE() << "expected Stopped";
  } catch (const Stopped& stopped) {
    EXPECT_EQ(exit_code_of(stopped.signal()), 3);
  }
  EXPECT_EQ(std::filesystem::file_size(tries), 1U);
  std::filesystem::remove(tries);
}

TEST(ProcessorTime, CountsChildrenThatRunAndThoseThatEnded) {
  const auto compute = [] {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 5) {
    }
  };
  const Seconds before = processor_time_of_all();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    compute();
    char byte = 0;
    ::close(ends[1]);
    (void)!::read(ends[0], &byte, 1);
    ::_exit(0);
  }
  ::close(ends[0]);
  Seconds running = processor_time_of_all();
  for (int look = 0; look < 2000 && running - before < Seconds{0.15}; ++look) {
    ::usleep(10'000);
    running = processor_time_of_all();
  }
  EXPECT_GE(running - before, Seconds{0.15});
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(processor_time_of_all() - before, Seconds{0.15});
}

}  // namespace
}  // namespace stepcast
