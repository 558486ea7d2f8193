#include "traces/readers/nccl_tests/programs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/benchmark_log.hpp"

namespace stepcast {
namespace {

/// "all_gather" of "/opt/tests/all_gather_perf"; empty for other words.
std::string program_of(std::string_view word) {
  constexpr std::string_view kEnd = "_perf";
  if (!word.ends_with(kEnd))
    return {};
  word.remove_suffix(kEnd.size());
  return std::string(word.substr(word.rfind('/') + 1));
}

bool is_collective(const std::string& program) {
  constexpr std::array kOthers = {"sendrecv", "gather", "scatter", "hypercube"};
  return std::ranges::count(kOthers, program) == 0 && find_kind_in(program);
}

}  // namespace

void Programs::take(const std::vector<std::string_view>& words, const LogLine& line) {
  for (const std::string_view word : words) {
    const std::string program = program_of(word);
    if (program.empty())
      continue;
    if (line.text.find("test starting") != std::string_view::npos)
      started_ = {program, line.where()};
    if (std::ranges::find(named_, program, &Named::program) == named_.end())
      named_.push_back({program, line.where()});
  }
}

std::optional<CollectiveKind> Programs::kind(const std::string& origin) const {
  if (!started_ && named_.size() != 1)
    return std::nullopt;
  const Named& ran = started_ ? *started_ : named_.front();
  if (!is_collective(ran.program))
    throw InputError(
        fmt::format("{}: {}: expected a collective such as all_reduce_perf, found "
                    "{}_perf",
                    origin, ran.where, ran.program));
  return find_kind_in(ran.program);
}

}  // namespace stepcast
