#include "sim/cli/checks/limits.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

Bytes memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  return {pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0};
}

/// The sanitizers reserve terabytes that they never touch.
constexpr bool counts_addresses() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#elif defined(__has_feature)
  return !__has_feature(address_sanitizer);
#else
  return true;
#endif
}

void limit_memory(Bytes most) {
  rlimit limit{};
  if (!counts_addresses() || ::getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(most.value));
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

}  // namespace

std::vector<CommandOption> options_of(Limits& limits) {
  return {{"--max-memory", "SIZE", &limits.memory,
           "fail rather than use more in a process (default: nine tenths of the\nmachine's; none: "
           "no limit)"},
          {"--max-time", "TIME", &limits.time,
           "end after so long, such as 10m; studies print what is there"},
          {"--allow-paths", "", &limits.allow_paths,
           "let files that are read name files outside their folder"}};
}

void obey(const Limits& limits) {
  constexpr Bytes kLeast{64.0 * 1024 * 1024};
  constexpr double kShare = 0.9;
  try {
    Bytes most = memory_of_machine() * kShare;
    if (!limits.memory.empty() && limits.memory != "none")
      most = parse_bytes(limits.memory);
    if (most > Bytes{} && most < kLeast)
      throw InputError(fmt::format("expected at least {}, found {}", format_bytes(kLeast),
                                   in_quotes(limits.memory)));
    if (limits.memory != "none" && most > Bytes{})
      limit_memory(most);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--max-memory: {}", error.what()));
  }
  if (limits.time && !(*limits.time > Seconds{}))
    throw InputError("--max-time: expected a time above 0, such as 10m, found 0");
  if (limits.time)
    limit_time(*limits.time);
  if (limits.allow_paths)
    ::setenv("STEPCAST_ALLOW_PATHS", "1", 1);
}

std::string out_of_memory_in_words() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "out of memory";
  return fmt::format("out of memory: needs more than {}; --max-memory SIZE allows more",
                     format_bytes({static_cast<double>(limit.rlim_cur)}));
}

}  // namespace stepcast
