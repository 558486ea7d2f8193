#include "sim/workers/processor_time.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

// The kernel limits the processor time of each process by itself, so that ten workers could use ten
// times the limit. Here all count together. getrusage() knows of this process and of children that
// were waited for; what running descendants have used is in /proc/PID/stat, in ticks of 10 ms. One
// look costs some 50 us for each descendant.

namespace stepcast {
namespace {

constexpr int kDeepest = 4;  // workers, their simulations, and whatever comes between

Seconds time_of(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime)};
}

Seconds time_of_process(int who) {
  rusage used{};
  return ::getrusage(who, &used) == 0 ? time_of(used) : Seconds{};
}

/// Processor time of a process and of its children that it has waited for.
Seconds time_in_stat(pid_t process) {
  constexpr int kBefore = 11;  // fields between the name, in parentheses, and the times
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos)
    return {};
  std::size_t at = name_end + 1;
  for (int field = 0; field < kBefore && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  double ticks = 0;
  for (int field = 0; field < 4 && at != std::string::npos; ++field) {
    ticks += std::strtod(text.c_str() + at, nullptr);
    at = text.find(' ', at + 1);
  }
  return {ticks / static_cast<double>(::sysconf(_SC_CLK_TCK))};
}

Seconds time_of_descendants(pid_t process, int depth) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  Seconds sum{};
  for (pid_t child = 0; depth < kDeepest && children >> child;)
    sum += time_in_stat(child) + time_of_descendants(child, depth + 1);
  return sum;
}

/// Ends when the time is used up: cores that all compute use it up no sooner than `left` / cores.
void wait_until_used(Seconds most) {
  constexpr double kShortest = 0.005;
  constexpr double kLongest = 0.2;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  for (;;) {
    const Seconds left = most - processor_time_of_all();
    if (left <= Seconds{})
      return;
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::clamp(left.value / cores, kShortest, kLongest)));
  }
}

}  // namespace

Seconds processor_time_of_all() {
  return time_of_process(RUSAGE_SELF) + time_of_process(RUSAGE_CHILDREN) +
         time_of_descendants(::getpid(), 0);
}

bool alarm_at_processor_time(Seconds most) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that works
  bool started = true;
  try {
    std::thread([most, process = ::getpid()] {
      wait_until_used(most);
      ::kill(process, SIGALRM);
    }).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

bool ended_by_processor_time(int status, const rusage& used) {
  constexpr double kNearly = 0.95;
  if (!WIFSIGNALED(status))
    return false;
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return WTERMSIG(status) == SIGXCPU ||
         (WTERMSIG(status) == SIGKILL && is_limited &&
          time_of(used).value >= kNearly * static_cast<double>(limit.rlim_cur));
}

}  // namespace stepcast
