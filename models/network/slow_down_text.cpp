#include "models/network/slow_down_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/law_fields.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

// Wider than any slow-down that was measured. Normal draws reach 8.6 sigma.
bool is_factor(double value) {
  return value > 0 && value <= 1e6;
}
bool is_sigma(double value) {
  return value >= 0 && value <= 3;
}
bool is_mean(double value) {
  return value >= 0 && value <= 1e6;
}
bool is_probability(double value) {
  return value >= 0 && value <= 1;
}
bool is_alpha(double value) {
  return value > 1 && value <= 1e6;
}
bool is_count(double value) {
  return value >= 1 && value <= 1e9;
}

constexpr const char* kPlausibleFactor = "a number above 0 and at most 1e6";
constexpr const char* kSigma = "a number from 0 to 3";
constexpr const char* kMean = "a number from 0 to 1e6";
constexpr const char* kAlpha = "a number above 1 and at most 1e6";
constexpr const char* kIterations = "a number of iterations from 1 to 1e9";
constexpr double kMostStarts = 1000;  // of episodes, in the time that the longest lasts

SlowDown::Sharing sharing_of(LawFields& fields) {
  using Unit = SlowDown::Sharing::Unit;
  constexpr Unit kUnits[] = {Unit::Each, Unit::Node, Unit::All};
  return {.unit = kUnits[fields.word("per", {"rank", "node", "all"})],
          .once = fields.word("drawn", {"step", "once"}) == 1};
}

SlowDown::Law episodes_of(LawFields& fields) {
  SlowDown::Episodes law;
  law.factor = fields.number("factor", kPlausibleFactor, is_factor);
  law.every = fields.number("every", kIterations, is_count);
  law.least = fields.number("least", kIterations, is_count);
  law.most = fields.number("most", kIterations, is_count);
  if (law.most < law.least)
    throw InputError(
        fmt::format("episodes: most: expected at least {}, found {}", law.least, law.most));
  if (law.most > kMostStarts * law.every)
    throw InputError(fmt::format("episodes: most: expected at most {} times every ({}), found {}",
                                 kMostStarts, kMostStarts * law.every, law.most));
  law.sharing = sharing_of(fields);
  return law;
}

SlowDown::Law law_of(const std::string& law, LawFields& fields, const RecordedLoader& load) {
  if (law == "rank")
    return SlowDown::Fixed{.rank = fields.count("rank", "a rank"),
                           .factor = fields.number("factor", kPlausibleFactor, is_factor)};
  if (law == "bernoulli")
    return SlowDown::Bernoulli{
        .factor = fields.number("factor", kPlausibleFactor, is_factor),
        .probability = fields.number("p", "a probability between 0 and 1", is_probability),
        .sharing = sharing_of(fields)};
  if (law == "lognormal")
    return SlowDown::LogNormal{.sigma = fields.number("sigma", kSigma, is_sigma),
                               .sharing = sharing_of(fields)};
  if (law == "exponential")
    return SlowDown::Exponential{.mean = fields.number("mean", kMean, is_mean),
                                 .sharing = sharing_of(fields)};
  if (law == "pareto")
    return SlowDown::Pareto{.alpha = fields.number("alpha", kAlpha, is_alpha),
                            .sharing = sharing_of(fields)};
  if (law == "episodes")
    return episodes_of(fields);
  return load(fields.text("file", "a name or a .csv file"));
}

}  // namespace

void add_slow_down(SlowDown& slow, std::string_view text, const RecordedLoader& load) {
  std::vector<std::string> laws{"bernoulli", "lognormal", "exponential", "pareto", "episodes"};
  if (load)
    laws.emplace_back("recorded");
  const std::size_t colon = text.find(':');
  const bool is_rank = colon == std::string_view::npos && text.starts_with("rank=");
  const std::string law(is_rank ? "rank" : text.substr(0, colon));
  if (!is_rank && std::find(laws.begin(), laws.end(), law) == laws.end())
    throw InputError(fmt::format("expected rank=R,factor=F or one of {} with \":\", found {}{}",
                                 fmt::join(laws, ", "), in_quotes(text), did_you_mean(law, laws)));
  LawFields fields(law, is_rank                           ? text
                        : colon == std::string_view::npos ? ""
                                                          : text.substr(colon + 1));
  const SlowDown::Law added = law_of(law, fields, load);
  const bool on_network = law != "recorded" && fields.word("on", {"compute", "network"}) == 1;
  fields.expect_no_more();
  (on_network ? slow.transfers : slow.laws).push_back(added);
}

void check_ranks(const SlowDown& slow, std::uint32_t ranks) {
  for (const auto* laws : {&slow.laws, &slow.transfers})
    for (const SlowDown::Law& law : *laws)
      if (const auto* fixed = std::get_if<SlowDown::Fixed>(&law); fixed && fixed->rank >= ranks)
        throw InputError(fmt::format("rank={}: the cluster has {} ranks, from 0 to {}", fixed->rank,
                                     ranks, ranks - 1));
}

}  // namespace stepcast
