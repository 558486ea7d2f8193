#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"

namespace stepcast {
namespace {

std::optional<PassKind> kind_of(char letter) {
  switch (letter) {
    case 'F':
      return PassKind::Forward;
    case 'B':
      return PassKind::Backward;
    case 'I':
      return PassKind::InputGradient;
    case 'W':
      return PassKind::WeightGradient;
    default:
      return std::nullopt;
  }
}

PipelinePass parse_pass(std::string_view word, std::size_t line) {
  const std::size_t dot = std::min(word.find('.'), word.size());
  const auto kind = kind_of(word.front());
  try {
    if (!kind)
      throw InputError("");
    return {.kind = *kind,
            .micro_batch = parse_count(word.substr(1, dot - 1)),
            .chunk = dot == word.size() ? 0 : parse_count(word.substr(dot + 1))};
  } catch (const InputError&) {
    throw InputError(
        fmt::format("order: line {}: expected a pass such as F0, B0, I0, W0 or F0.1, found {}",
                    line, in_quotes(word)));
  }
}

std::vector<PipelinePass> parse_line(std::string_view line, std::size_t number) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<PipelinePass> passes;
  line = line.substr(0, std::min(line.find('#'), line.size()));
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos)
      return passes;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    passes.push_back(parse_pass(line.substr(0, end), number));
    line.remove_prefix(end);
  }
}

}  // namespace

PipelineOrder parse_order(std::string_view text) {
  constexpr std::uint32_t kMost = 1'000'000;
  PipelineOrder order{.name = "order", .stages = 0, .micro_batches = 0};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\n;"), text.size());
    std::vector<PipelinePass> passes = parse_line(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const PipelinePass& pass : passes) {
      if (pass.micro_batch >= kMost || pass.chunk >= kMost)
        throw InputError(fmt::format("order: line {}: expected numbers below {}, found {}", number,
                                     kMost, describe(pass, true)));
      order.micro_batches = std::max(order.micro_batches, pass.micro_batch + 1);
      order.chunks = std::max(order.chunks, pass.chunk + 1);
    }
    if (!passes.empty())
      order.ranks.push_back(std::move(passes));
  }
  order.stages = static_cast<std::uint32_t>(order.ranks.size());
  if (order.stages == 0)
    throw InputError("order: expected a line of passes for each stage, found none");
  check_order(order);
  return order;
}

std::string order_text(const PipelineOrder& order) {
  std::string text;
  for (const auto& passes : order.ranks) {
    std::vector<std::string> words;
    for (const PipelinePass& pass : passes)
      words.push_back(describe(pass, order.chunks > 1));
    text += fmt::format("{}{}", text.empty() ? "" : ";", fmt::join(words, " "));
  }
  return text;
}

}  // namespace stepcast
