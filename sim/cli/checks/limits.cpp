#include "sim/cli/checks/limits.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/workers/processor_time.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

/// The number that a file of the system begins with; none where there is no such file, or "max".
std::optional<double> number_in(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// Time until a batch system ends the job, by its variable in seconds since 1970.
std::optional<double> seconds_of_job() {
  const char* end = std::getenv("SLURM_JOB_END_TIME");
  if (end == nullptr)
    return std::nullopt;
  const double left = std::atof(end) - static_cast<double>(std::time(nullptr));
  return left > 0 ? std::optional(left) : std::nullopt;
}

/// What is left for the results once time is up.
Seconds shortly_before(double end) {
  constexpr double kShare = 0.9;
  constexpr double kMargin = 30;
  return {std::max(end * kShare, end - kMargin)};
}

/// Processor time that the process may use, by `ulimit -t`.
std::optional<double> processor_seconds_of_shell() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

/// The sanitizers reserve terabytes that they never touch.
constexpr bool counts_addresses() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
  return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
  return true;
#endif
}

/// `typed`: the user wants it; else a lower limit of the shell stays.
void limit_memory(Bytes most, bool typed) {
  rlimit limit{};
  if (!counts_addresses() || ::getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  limit.rlim_cur =
      std::min(typed ? limit.rlim_max : limit.rlim_cur, static_cast<rlim_t>(most.value));
  ::setrlimit(RLIMIT_AS, &limit);
}

void limit_time(Seconds most) {
  end_after_alarm();
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(most.value);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((most.value - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
    timer.it_value.tv_usec = 1;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// The time of this process, its workers and their simulations together. Where no thread can watch
/// it, this process alone has an alarm.
void limit_processor_time(Seconds most) {
  if (alarm_at_processor_time(most))
    return;
  sigevent alarm{};
  alarm.sigev_notify = SIGEV_SIGNAL;
  alarm.sigev_signo = SIGALRM;
  timer_t timer{};
  if (::timer_create(CLOCK_PROCESS_CPUTIME_ID, &alarm, &timer) != 0)
    return;  // The kernel's own signal comes at the end, without a margin.
  itimerspec end{};
  end.it_value.tv_sec = static_cast<time_t>(most.value);
  const double rest = most.value - static_cast<double>(end.it_value.tv_sec);
  end.it_value.tv_nsec = std::clamp(static_cast<long>(rest * 1e9), 1L, 999'999'999L);
  ::timer_settime(timer, TIMER_ABSTIME, &end, nullptr);
}

void obey_memory(const std::string& typed) try {
  constexpr Bytes kLeast{64.0 * 1024 * 1024};
  constexpr double kShare = 0.9;
  if (typed == "none")
    return;
  const Bytes most = typed.empty() ? memory_of_machine() * kShare : parse_bytes(typed);
  if (!typed.empty() && most < kLeast)
    throw InputError(
        fmt::format("expected at least {}, found {}", format_bytes(kLeast), in_quotes(typed)));
  if (most >= kLeast)
    limit_memory(most, !typed.empty());
} catch (const InputError& error) {
  throw InputError(fmt::format("--max-memory: {}", error.what()));
}

void obey_time(const std::string& typed) try {
  if (typed == "none")
    return;
  const Seconds most = typed.empty() ? usual_time() : parse_seconds(typed);
  if (!(most > Seconds{}))
    throw InputError("expected a time above 0, such as 10m, found 0");
  limit_time(most);
  if (const auto processor = usual_processor_time(); processor && typed.empty())
    limit_processor_time(*processor);
} catch (const InputError& error) {
  throw InputError(fmt::format("--max-time: {}", error.what()));
}

}  // namespace

Bytes memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  double bytes = pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0;
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (const auto most = number_in(file); most && *most > 0)
      bytes = std::min(bytes, *most);
  return {bytes};
}

Seconds usual_time() {
  constexpr Seconds kDay{86400};
  const std::optional<double> job = seconds_of_job();
  return job ? std::min(kDay, shortly_before(*job)) : kDay;
}

std::optional<Seconds> usual_processor_time() {
  const std::optional<double> shell = processor_seconds_of_shell();
  return shell ? std::optional(shortly_before(*shell)) : std::nullopt;
}

std::vector<CommandOption> options_of(Limits& limits) {
  return {
      {"--max-memory", "SIZE", &limits.memory,
       "fail rather than use more in a process (default: nine tenths of the\nmachine's; none: "
       "no limit)"},
      {"--max-time", "TIME", &limits.time,
       "end after so long, such as 10m; studies print what is there (default: a\nday, or shortly "
       "before the batch job or the shell would end it; none)"},
      {"--allow-paths", "", &limits.allow_paths,
       "let files that are read name files outside their folder"}};
}

void obey(const Limits& limits) {
  obey_memory(limits.memory);
  obey_time(limits.time);
  if (limits.allow_paths)
    ::setenv("STEPCAST_ALLOW_PATHS", "1", 1);
}

Bytes memory_allowed() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {std::numeric_limits<double>::infinity()};
  return {static_cast<double>(limit.rlim_cur)};
}

Seconds time_allowed() {
  itimerval timer{};
  if (::getitimer(ITIMER_REAL, &timer) != 0 ||
      (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0))
    return {std::numeric_limits<double>::infinity()};
  return {static_cast<double>(timer.it_value.tv_sec) +
          static_cast<double>(timer.it_value.tv_usec) * 1e-6};
}

std::string out_of_memory_in_words() {
  const Bytes allowed = memory_allowed();
  if (std::isinf(allowed.value))
    return "out of memory";
  return fmt::format("out of memory: needs more than {}; --max-memory SIZE allows more",
                     format_bytes(allowed));
}

}  // namespace stepcast
