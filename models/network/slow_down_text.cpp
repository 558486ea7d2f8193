#include "models/network/slow_down_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

/// What stands between "law:" and the end, each value once asked for taken away.
class Fields {
 public:
  Fields(std::string law, std::string_view text) : law_(std::move(law)) {
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      add(text.substr(0, comma));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }

  double number(const std::string& name, const char* range, bool (*is_right)(double)) {
    const std::string text = take(name, range);
    const std::optional<double> value = find_fraction(text);
    if (!value || !is_right(*value))
      throw InputError(
          fmt::format("{}: {}: expected {}, found {}", law_, name, range, in_quotes(text)));
    return *value;
  }

  Rank rank() {
    try {
      return parse_count(take("rank", "a rank"));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: rank: {}", law_, error.what()));
    }
  }

  /// The index of the word that is given, 0 if none is.
  std::size_t word(const std::string& name, const std::vector<std::string>& words) {
    const auto found = fields_.extract(name);
    known_.push_back(name);
    if (!found)
      return 0;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == found.mapped())
        return i;
    throw InputError(fmt::format("{}: {}: expected {}, found {}", law_, name,
                                 fmt::join(words, " or "), in_quotes(found.mapped())));
  }

  void expect_no_more() const {
    if (!fields_.empty())
      throw InputError(fmt::format("{}: unknown key {}: expected {}{}", law_,
                                   in_quotes(fields_.begin()->first), fmt::join(known_, ", "),
                                   did_you_mean(fields_.begin()->first, known_)));
  }

 private:
  void add(std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw InputError(fmt::format("{}: expected name=value, found {}", law_, in_quotes(item)));
    const std::string name(item.substr(0, equals));
    if (!fields_.emplace(name, item.substr(equals + 1)).second)
      throw InputError(fmt::format("{}: {} is given twice", law_, name));
  }

  std::string take(const std::string& name, const char* range) {
    known_.push_back(name);
    const auto found = fields_.extract(name);
    if (!found)
      throw InputError(fmt::format("{}: {} is missing: expected {}", law_, name, range));
    return found.mapped();
  }

  static std::optional<double> find_fraction(const std::string& text) try {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
      return parse_number(text);
    return parse_number(text.substr(0, slash)) / parse_number(text.substr(slash + 1));
  } catch (const InputError&) {
    return std::nullopt;
  }

  std::string law_;
  std::map<std::string, std::string> fields_;
  std::vector<std::string> known_;
};

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

SlowDown::Sharing sharing_of(Fields& fields) {
  using Unit = SlowDown::Sharing::Unit;
  constexpr Unit kUnits[] = {Unit::Each, Unit::Node, Unit::All};
  return {.unit = kUnits[fields.word("per", {"rank", "node", "all"})],
          .once = fields.word("drawn", {"step", "once"}) == 1};
}

SlowDown::Law episodes_of(Fields& fields) {
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

void add_log_normal(SlowDown& slow, Fields& fields) {
  const double sigma = fields.number("sigma", kSigma, is_sigma);
  if (fields.word("on", {"compute", "network"}) == 1)
    slow.transfers.push_back(sigma);
  else
    slow.laws.emplace_back(SlowDown::LogNormal{sigma, sharing_of(fields)});
}

void add_law(SlowDown& slow, const std::string& law, Fields& fields) {
  if (law == "rank")
    slow.laws.emplace_back(SlowDown::Fixed{
        .rank = fields.rank(), .factor = fields.number("factor", kPlausibleFactor, is_factor)});
  else if (law == "bernoulli")
    slow.laws.emplace_back(SlowDown::Bernoulli{
        .factor = fields.number("factor", kPlausibleFactor, is_factor),
        .probability = fields.number("p", "a probability between 0 and 1", is_probability),
        .sharing = sharing_of(fields)});
  else if (law == "lognormal")
    add_log_normal(slow, fields);
  else if (law == "exponential")
    slow.laws.emplace_back(SlowDown::Exponential{.mean = fields.number("mean", kMean, is_mean),
                                                 .sharing = sharing_of(fields)});
  else if (law == "pareto")
    slow.laws.emplace_back(SlowDown::Pareto{.alpha = fields.number("alpha", kAlpha, is_alpha),
                                            .sharing = sharing_of(fields)});
  else
    slow.laws.push_back(episodes_of(fields));
}

}  // namespace

void add_slow_down(SlowDown& slow, std::string_view text) {
  const std::vector<std::string> laws{"bernoulli", "lognormal", "exponential", "pareto",
                                      "episodes"};
  const std::size_t colon = text.find(':');
  const bool is_rank = colon == std::string_view::npos && text.starts_with("rank=");
  const std::string law(is_rank ? "rank" : text.substr(0, colon));
  if (!is_rank && std::find(laws.begin(), laws.end(), law) == laws.end())
    throw InputError(fmt::format("expected rank=R,factor=F or one of {} with \":\", found {}{}",
                                 fmt::join(laws, ", "), in_quotes(text), did_you_mean(law, laws)));
  Fields fields(law, is_rank                           ? text
                     : colon == std::string_view::npos ? ""
                                                       : text.substr(colon + 1));
  add_law(slow, law, fields);
  fields.expect_no_more();
}

void check_ranks(const SlowDown& slow, std::uint32_t ranks) {
  for (const SlowDown::Law& law : slow.laws)
    if (const auto* fixed = std::get_if<SlowDown::Fixed>(&law); fixed && fixed->rank >= ranks)
      throw InputError(fmt::format("rank={}: the cluster has {} ranks, from 0 to {}", fixed->rank,
                                   ranks, ranks - 1));
}

}  // namespace stepcast
