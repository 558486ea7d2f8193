// A stream that is closed or full is nobody's fault of ours: no abort, and the files are written.
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/tell.hpp"
#include "sim/workers/stop.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

/// Wait status of the program, run in a process of its own after `prepare`.
template <class Prepare>
int status_of(const std::vector<std::string>& arguments, Prepare prepare) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  std::vector<const char*> pointers{"stepcast"};
  for (const std::string& argument : arguments)
    pointers.push_back(argument.c_str());
  const pid_t process = ::fork();
  if (process == 0) {
    prepare();
    hold_standard_streams();
    handle_signals();
    ::_exit(run_command_line(static_cast<int>(pointers.size()), pointers.data()));
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

std::vector<std::string> run_with_timeline(const std::string& file) {
  return {"run",
          "--workload",
          "resnet50-rtx2080ti-bs64",
          "--cluster",
          "rtx2080ti-16x4-10gbe",
          "--schedule",
          "dear",
          "--fidelity",
          "analytic",
          "--timeline",
          file};
}

void put(const char* path, int stream) {
  ::dup2(::open(path, O_WRONLY), stream);
}

TEST(Streams, ErrorOnAClosedOrFullStderrIsStillExitCode2) {
  const std::vector<std::string> wrong{"run", "--workload", "none"};
  for (const int status : {status_of(wrong, [] { ::close(STDERR_FILENO); }),
                           status_of(wrong, [] { put("/dev/full", STDERR_FILENO); })}) {
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 2);
  }
}

TEST(Streams, ClosedStderrLosesNoOutput) {
  const TemporaryFolder folder;
  const int status = status_of(run_with_timeline(folder.file("t.json")), [] {
    put("/dev/null", STDOUT_FILENO);
    ::close(STDERR_FILENO);
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(std::filesystem::file_size(folder.file("t.json")), 1000U);
}

TEST(Streams, FullOrClosedStdoutIsAnErrorAndTheFilesAreWritten) {
  for (const bool closed : {false, true}) {
    const TemporaryFolder folder;
    const int status = status_of(run_with_timeline(folder.file("t.json")), [closed] {
      put("/dev/null", STDERR_FILENO);
      if (closed)
        ::close(STDOUT_FILENO);
      else
        put("/dev/full", STDOUT_FILENO);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_GT(std::filesystem::file_size(folder.file("t.json")), 1000U);
  }
}

TEST(Streams, AReaderThatHasReadEnoughEndsUsAsItEndsOthers) {
  const int status = status_of({"list", "schedules"}, [] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
}

}  // namespace
}  // namespace stepcast
