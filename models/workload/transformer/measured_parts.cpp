#include "models/workload/transformer/measured_parts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"

namespace stepcast {
namespace {

double apart(double a, double b) {
  return std::abs(std::log2(a / b));
}

bool has_same_messages(const MeasuredPart& row, const TransformerShard& shard) {
  const bool same_experts =
      row.part != ModelPart::ExpertBlock || shard.ranks_of_an_expert() == shard.tensor;
  return row.tensor == shard.tensor && row.context == shard.context && row.expert == shard.expert &&
         same_experts;
}

// How far a row is from what is wanted, what matters most first.
auto distance(const MeasuredPart& row, const TransformerShard& shard, std::uint32_t seq,
              Recompute recompute) {
  const double tokens = static_cast<double>(row.micro_batch) * row.seq;
  return std::tuple(apart(row.tensor, shard.tensor), apart(row.context, shard.context),
                    apart(row.expert, shard.expert),
                    row.sequence_parallel != shard.sequence_parallel, row.recompute != recompute,
                    apart(tokens, static_cast<double>(shard.micro_batch) * seq),
                    apart(row.seq, seq));
}

Seconds scaled_pass(Seconds measured, Seconds wanted, Seconds of_row) {
  return of_row > Seconds{} ? measured * (wanted / of_row) : measured;
}

}  // namespace

std::string_view name_of(ModelPart part) {
  return name_among({"embedding", "block", "expert-block", "head"}, part);
}

ModelPart block_part(const Transformer& shape, std::uint32_t layer) {
  return !shape.has_experts() || layer < shape.dense_layers ? ModelPart::Block
                                                            : ModelPart::ExpertBlock;
}

const MeasuredPart* nearest_row(const MeasuredParts& measured, ModelPart part,
                                const TransformerShard& shard, std::uint32_t seq,
                                Recompute recompute) {
  const MeasuredPart* nearest = nullptr;
  for (const MeasuredPart& row : measured.rows) {
    if (row.part != part || (row.with_messages && !has_same_messages(row, shard)))
      continue;
    if (!nearest ||
        distance(row, shard, seq, recompute) < distance(*nearest, shard, seq, recompute))
      nearest = &row;
  }
  return nearest;
}

const MeasuredPart* required_row(const MeasuredParts& measured, ModelPart part,
                                 const TransformerShard& shard, std::uint32_t seq,
                                 Recompute recompute) {
  const MeasuredPart* row = nearest_row(measured, part, shard, seq, recompute);
  if (row || std::ranges::find(measured.rows, part, &MeasuredPart::part) == measured.rows.end())
    return row;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> there;
  for (const MeasuredPart& each : measured.rows)
    if (each.part == part)
      there.emplace(each.tensor, each.context, each.expert);
  std::vector<std::string> words;
  for (const auto& [tensor, context, expert] : there)
    words.push_back(fmt::format("tp={},cp={},ep={}", tensor, context, expert));
  throw InputError(fmt::format(
      "blocks: expected a layout whose {} was measured with its messages ({}), found "
      "tp={},cp={},ep={}",
      name_of(part), fmt::join(words, "; "), shard.tensor, shard.context, shard.expert));
}

bool is_as_measured(const MeasuredPart& row, const TransformerShard& shard, std::uint32_t seq,
                    Recompute recompute) {
  return has_same_messages(row, shard) && row.micro_batch == shard.micro_batch && row.seq == seq &&
         row.sequence_parallel == shard.sequence_parallel && row.recompute == recompute;
}

std::string describe(const MeasuredPart& row) {
  std::string text = fmt::format("tp {}", row.tensor);
  if (row.context > 1)
    text += fmt::format(", cp {}", row.context);
  if (row.expert > 1)
    text += fmt::format(", ep {}", row.expert);
  text += fmt::format(", micro-batch {} of {} tokens", row.micro_batch, row.seq);
  if (row.recompute != Recompute::None)
    text += fmt::format(", recompute {}", name_of(row.recompute));
  if (row.sequence_parallel)
    text += ", sequence parallel";
  return text;
}

TransformerShard shard_of(const MeasuredPart& row, TransformerShard shard) {
  shard.micro_batch = row.micro_batch;
  shard.tensor = row.tensor;
  shard.context = row.context;
  shard.expert = row.expert;
  shard.expert_tensor.reset();  // no row tells of another
  shard.sequence_parallel = row.sequence_parallel;
  return shard;
}

PassTimes scaled(const MeasuredPart& row, const PassTimes& wanted, const PassTimes& of_row) {
  PassTimes times = wanted;
  times.forward = scaled_pass(row.forward, wanted.forward, of_row.forward);
  if (row.weight_gradient) {
    times.weight_gradient =
        scaled_pass(*row.weight_gradient, wanted.weight_gradient, of_row.weight_gradient);
    times.input_gradient = scaled_pass(row.backward - *row.weight_gradient, wanted.input_gradient,
                                       of_row.input_gradient);
    return times;
  }
  const Seconds law = wanted.input_gradient + wanted.weight_gradient;
  const Seconds both =
      scaled_pass(row.backward, law, of_row.input_gradient + of_row.weight_gradient);
  const double weights = law > Seconds{} ? wanted.weight_gradient / law : 0.5;
  times.weight_gradient = both * weights;
  times.input_gradient = both - times.weight_gradient;
  return times;
}

PassTimes with_recomputation(PassTimes times, Recompute recompute) {
  if (recompute == Recompute::Full)
    times.input_gradient += times.forward;
  if (recompute == Recompute::Selective)
    times.input_gradient += times.scores;
  return times;
}

}  // namespace stepcast
