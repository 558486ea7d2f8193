#include "sim/cli/study/typed_goodput.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/study/goodput/goodput.hpp"

namespace stepcast {
namespace {

constexpr Seconds kLeastInterval{1e-3};
constexpr std::uint32_t kMostSeeds = 100'000;
constexpr std::uint32_t kMostSpares = 1'000'000;

// A count in range; says that auto would do, too.
std::uint32_t count_of(const char* option, const std::string& text, std::uint32_t least,
                       std::uint32_t most) {
  try {
    const std::uint32_t count = parse_count(text, least);
    if (count <= most)
      return count;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {} (or auto)", option, error.what()));
  }
  throw InputError(fmt::format("{}: expected at most {} (or auto), found {}", option, most, text));
}

}  // namespace

Seconds interval_of(const std::string& text) {
  if (text.empty() || text == "auto")
    return {};
  try {
    const Seconds interval = parse_seconds(text);
    if (interval >= kLeastInterval)
      return interval;
  } catch (const InputError& error) {
    throw InputError(fmt::format("--interval: {} (or auto)", error.what()));
  }
  throw InputError(fmt::format("--interval: expected at least {}, or auto, found {}",
                               format_seconds(kLeastInterval), in_quotes(text)));
}

std::uint32_t goodput_seeds_of(const std::string& text) {
  if (text.empty())
    return GoodputRequest{}.seeds;
  return text == "auto" ? 0 : count_of("--seeds", text, 1, kMostSeeds);
}

std::uint32_t spares_of(const std::string& text) {
  return text.empty() || text == "auto" ? 0 : count_of("--spares", text, 0, kMostSpares);
}

LossPolicy policy_of(const std::string& text) {
  if (text.empty() || text == "restart")
    return LossPolicy::Restart;
  if (text == "wait")
    return LossPolicy::Wait;
  if (text == "shrink")
    return LossPolicy::Shrink;
  if (text == "drop")
    return LossPolicy::Drop;
  if (text == "redo")
    return LossPolicy::Redo;
  throw InputError(fmt::format("--policy: expected restart, wait, shrink, drop or redo, found {}",
                               in_quotes(text)));
}

}  // namespace stepcast
