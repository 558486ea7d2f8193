#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "models/network/slow_down.hpp"

namespace stepcast {

/// Adds to `slow` what a user wrote:
///   rank=3,factor=5                       one rank, always
///   bernoulli:factor=6,p=1/16             with a probability
///   lognormal:sigma=0.14                  exp(sigma z)
///   exponential:mean=0.1                  a delay, as a share of the compute
///   pareto:alpha=3
///   episodes:factor=2,every=1000,least=10,most=100     in iterations
///   recorded:file=NAME                    whole recorded steps, as `load` finds them
/// Each of those that are drawn takes per=rank|node|all and drawn=step|once; all but `recorded`
/// take on=network, for transfers. Factors and means are at most 1e6, sigma at most 3.
/// Throws InputError that says what was expected, and as `load`.
using RecordedLoader = std::function<SlowDown::Recorded(const std::string& name)>;
void add_slow_down(SlowDown& slow, std::string_view text, const RecordedLoader& load = {});

/// Throws InputError for a slow rank, or one with slow links, that is none of `ranks`.
void check_ranks(const SlowDown& slow, std::uint32_t ranks);

}  // namespace stepcast
