#include "traces/formats/megatron/timers.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "traces/formats/log_text.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kForward = "forward-compute";
constexpr std::string_view kBackward = "backward-compute";
constexpr double kMilli = 1e-3;

/// The number that a text begins with, behind blanks and brackets, and what is left behind it.
std::optional<double> take_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t(,");
  if (begin == std::string_view::npos)
    return std::nullopt;
  const std::size_t end = text.find_first_of(" \t,)|", begin);
  const auto number = find_number(text.substr(begin, end - begin));
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  return number;
}

/// What a timer of a line says, in seconds; none if it is not in it.
std::optional<double> find_timer(const LogLine& line, std::string_view name,
                                 const std::string& origin) {
  const std::size_t at = line.text.find(name);
  if (at == std::string_view::npos)
    return std::nullopt;
  const std::size_t colon = line.text.find(':', at + name.size());
  // Behind the name stand blanks and dots: "forward-compute-all" is another timer.
  if (colon == std::string_view::npos ||
      line.text.substr(at + name.size(), colon - at - name.size()).find_first_not_of(" .") !=
          std::string_view::npos)
    return std::nullopt;
  std::string_view rest = line.text.substr(colon + 1);
  const bool is_range = rest.find_first_not_of(" \t") != std::string_view::npos &&
                        rest[rest.find_first_not_of(" \t")] == '(';
  const auto least = take_number(rest);
  const auto most = is_range ? take_number(rest) : least;
  const auto fail = [&](const std::string& expected) {
    throw InputError(
        fmt::format("{}: line {}: {}: expected {}", origin, line.number, name, expected));
  };
  if (!least || !most || *least < 0 || *most < *least)
    fail("milliseconds, or (least, most) of the ranks");
  constexpr double kUneven = 1.1;
  if (*most > kUneven * *least)
    fail(fmt::format("ranks that hold the same, as without a pipeline, found {} to {} ms", *least,
                     *most));
  return (*least + *most) / 2 * kMilli;
}

/// The first is of a warm-up.
Seconds usual(std::vector<double> found, std::string_view name, const std::string& origin) {
  if (found.empty())
    throw InputError(fmt::format(
        "{}: expected Megatron-LM's timer {} (--timing-log-level 2), found none", origin, name));
  if (found.size() > 1)
    found.erase(found.begin());
  return Seconds{median_of(std::move(found))};
}

}  // namespace

bool has_megatron_timers(std::string_view text) {
  return text.find(kForward) != std::string_view::npos;
}

MegatronTimers parse_megatron_timers(std::string_view text, const std::string& origin) {
  std::vector<double> forward;
  std::vector<double> backward;
  for (const LogLine& line : lines_of(text)) {
    // "backward-compute" does not end with "forward-compute".
    if (const auto found = find_timer(line, kForward, origin))
      forward.push_back(*found);
    if (const auto found = find_timer(line, kBackward, origin))
      backward.push_back(*found);
  }
  const std::size_t intervals = forward.size();
  return {.forward = usual(std::move(forward), kForward, origin),
          .backward = usual(std::move(backward), kBackward, origin),
          .intervals = intervals};
}

}  // namespace stepcast
