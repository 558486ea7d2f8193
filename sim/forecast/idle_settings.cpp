#include "sim/forecast/idle_settings.hpp"

#include <algorithm>

// Of two stragglers of one factor either may go, as the other one still keeps all ranks waiting.
// Neither changes nothing. So settings that change nothing one by one are left out together. Where
// that changes the forecast, they are left out one after the other until each one that is still
// there is needed: these are `needed`. One that was left out changes something after all if it can
// take the place of a needed one, with all the others left out.

namespace stepcast {
namespace {

std::vector<std::size_t> and_also(std::vector<std::size_t> settings, std::size_t added) {
  settings.push_back(added);
  return settings;
}

bool can_replace(std::size_t setting, const std::vector<std::size_t>& needed,
                 std::vector<std::size_t> left_out, const SameWithout& same_without) {
  std::erase(left_out, setting);
  return std::ranges::any_of(
      needed, [&](std::size_t other) { return same_without(and_also(left_out, other)); });
}

}  // namespace

std::vector<std::size_t> idle_settings(std::size_t count, const SameWithout& same_without) {
  std::vector<std::size_t> idle;
  for (std::size_t setting = 0; setting < count; ++setting)
    if (same_without({setting}))
      idle.push_back(setting);
  if (idle.size() < 2 || same_without(idle))
    return idle;
  std::vector<std::size_t> left_out;
  std::vector<std::size_t> needed;
  for (const std::size_t setting : idle)
    if (same_without(and_also(left_out, setting)))
      left_out.push_back(setting);
    else
      needed.push_back(setting);
  idle = left_out;
  std::erase_if(idle, [&](std::size_t setting) {
    return can_replace(setting, needed, left_out, same_without);
  });
  return idle;
}

}  // namespace stepcast
