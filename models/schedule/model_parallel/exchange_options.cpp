#include "models/schedule/model_parallel/exchange_options.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"

namespace stepcast {
namespace {

std::uint32_t shard_of(const OptionReader& read, const HybridJob& job) {
  if (read.is("shard", "auto"))
    return job.copies();
  const std::uint32_t shard = read.count("shard");
  if (job.copies() % shard != 0)
    read.fail("shard", fmt::format("expected a divisor of the {} copies (dp x cp), found {}",
                                   job.copies(), shard));
  if (shard < job.copies() && job.zero % 2 == 0)
    read.fail("shard", "expected zero=1 or zero=3 beside it");
  const std::uint32_t instances = job.copies() / shard;
  if (job.layout.expert_copies() % instances != 0)
    read.fail("shard",
              fmt::format("expected dp x cp / shard ({} / {} = {}) to divide the copies of "
                          "an expert ({}): each part of the ranks holds all experts",
                          job.copies(), shard, instances, job.layout.expert_copies()));
  return shard;
}

void check_zero(const OptionReader& read, const HybridJob& job) {
  if (job.zero > 1 && job.order.both_ways)
    read.fail("zero", "expected 0 or 1 where two stages hold each part");
}

/// A block of a transformer is as large as a bucket; layers of a profile are many and small.
Bytes bucket_of(const OptionReader& read, const Workload& model) {
  constexpr Bytes kOfDdp{25.0 * 1024 * 1024};
  if (read.is("bucket", "auto"))
    return model.transformer || model.pipeline ? Bytes{} : kOfDdp;
  return read.size("bucket");
}

void take_own_exchange(HybridJob& job, const Workload& model, const OptionReader& read) {
  job.zero = read.choice_of<std::uint32_t>("zero", {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}});
  const bool shares =
      (job.zero > 0 && read.is(kExchange, "zero")) || (job.zero > 1 && read.is(kExchange, "fsdp"));
  if (!shares && !read.is(kExchange, kOwnExchange))
    read.fail(kExchange, fmt::format("expected {} beside zero={}, found {}", kOwnExchange, job.zero,
                                     in_quotes(read.text(kExchange))));
  check_zero(read, job);
  job.shard = shard_of(read, job);
  if (!read.is("gradient_bytes", "auto"))
    job.gradient_bytes = read.number("gradient_bytes");
  job.overlap_gradients = read.is("overlap_gradients", "yes");
  job.bucket = bucket_of(read, model);
  job.norm_barrier = read.is("norm_barrier", "yes");
  job.by_broadcasts = read.is("updated", "broadcasts");
  job.by_block = job.zero > 0 && job.zero < 3 && read.is("updated", "next-forward");
  if (job.by_block && job.order.both_ways)
    read.fail("updated", "expected all-gather where two stages hold each part");
}

void take_other_exchange(HybridJob& job, const Workload& model, const HybridReader& options) {
  const OptionReader& read = options.read;
  if (job.order.both_ways)
    read.fail(kExchange, fmt::format("expected {} where two stages hold each part", kOwnExchange));
  if (job.experts_are_apart())
    read.fail(kExchange, fmt::format("expected {} where experts have other replicas than the rest "
                                     "of a stage (ep, etp)",
                                     kOwnExchange));
  if (model.pipeline)
    read.fail(kExchange,
              fmt::format("expected {}: the job was recorded with its own exchange", kOwnExchange));
  job.shard = job.copies();
  job.norm_barrier = false;
  job.exchange = options.exchange;
  for (const OptionInfo& option : job.exchange->options) {
    const std::string clashing = kOfExchange + option.name;
    job.exchange_options[option.name] = option.name == kAccumulation ? option.default_value
                                        : read.has(clashing)         ? read.text(clashing)
                                                                     : read.text(option.name);
  }
}

}  // namespace

std::vector<OptionInfo> own_exchange_options() {
  return {
      searched(choice_option("zero", "0",
                             "what copies share: 1 optimiser state, 2 gradients too, 3 parameters "
                             "too",
                             {"0", "1", "2", "3"}),
               {"0", "1", "3"}),
      count_option("shard", "auto",
                   "neighbours that share optimiser state (zero=1) or all of it (zero=3, FSDP's "
                   "hybrid sharding); auto: all copies",
                   {.least = 1, .most = 4'000'000}, {"auto"}),
      size_option("bucket", "auto",
                  "gradients of layers leave together from this size on; auto: a block of a "
                  "transformer, 25MiB of layers of a profile",
                  {}, {"auto"}),
      choice_option("overlap_gradients", "yes",
                    "gradients of a block travel beside the last backward pass", {"yes", "no"}),
      choice_option("norm_barrier", "yes", "all ranks agree on the norm of all gradients",
                    {"yes", "no"}),
      number_option("gradient_bytes", "auto",
                    "bytes of a parameter's gradient, held and sent; auto: as the parameter",
                    {.least = 1, .most = 1024}, {"auto"}),
      choice_option(
          "updated", "all-gather",
          "zero=1, 2: how updated parameters come back: all-gather, broadcasts, one after "
          "the other from each copy, or next-forward: block by block, beside the next "
          "step's first passes (exchange=dear does so without zero)",
          {"all-gather", "broadcasts", "next-forward"}),
      number_option("dp_ratio", "1", "bytes of gradients over those sent",
                    {.least = 1, .most = 1e6}),
      number_option("dp_codec", "0", "GB/s at which a GPU packs or unpacks them; 0: free",
                    {.least = 0, .most = 1e9})};
}

std::vector<OptionInfo> exchange_options() {
  std::vector<OptionInfo> options{choice_option(
      kExchange, kOwnExchange,
      "how replicas of a stage agree on gradients: as Megatron-LM does (zero and fsdp: with zero=2 "
      "or "
      "3), or as a data-parallel schedule, whose options are then options of this one",
      {kOwnExchange, "zero", "fsdp"})};
  std::ranges::move(own_exchange_options(), std::back_inserter(options));
  return options;
}

void name_stage(ScheduleOptions& options) {
  const auto exchange = options.find(kExchange);
  if (exchange == options.end())
    return;
  if (exchange->second == "zero")
    options.try_emplace("zero", "2");
  if (exchange->second == "fsdp")
    options.try_emplace("zero", "3");
}

void take_exchange(HybridJob& job, const Workload& model, const HybridReader& options) {
  if (options.exchange)
    take_other_exchange(job, model, options);
  else
    take_own_exchange(job, model, options.read);
}

void add_accumulation(HybridJob& job, const Workload& model, const HybridReader& options) {
  if (!model.transformer || (options.exchange && job.micro_batches() == 1))
    return;
  job.accumulation_bytes = options.read.number("accumulation_bytes");
  if (!options.exchange)
    return;
  for (ModelUnit& unit : job.units)
    unit.compute.weight_gradient +=
        Bytes{(leaving_parameters(job, unit) + unit.expert_parameters) * job.accumulation_bytes} /
        model.transformer->law.elementwise;
}

}  // namespace stepcast
