#include "tests/fuzz/support/line_mutator.hpp"

#include <array>
#include <cctype>
#include <random>
#include <utility>

#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "tests/fuzz/support/small_job.hpp"

namespace stepcast::fuzz {
namespace {

using Random = std::minstd_rand;

constexpr std::array<const char*, 16> kNumbers{
    "0",   "-1",         "1",     "2",          "16",  "0.5",   "1e308",  "5e-324",
    "1e9", "4294967296", "65536", "2147483648", "nan", "1e-15", "999999", "18446744073709551615"};

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// One of the numbers in the line, begin and length.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& line) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t begin = i;
    while (i < line.size() && (is_digit(line[i]) || (i > begin && line[i] == '.')))
      ++i;
    if (i > begin)
      numbers.emplace_back(begin, i - begin);
  }
  return numbers;
}

void change_number(std::string& line, Random& random) {
  const auto numbers = numbers_in(line);
  if (numbers.empty())
    return;
  const auto [begin, length] = numbers[below(random, numbers.size())];
  line.replace(begin, length, kNumbers[below(random, kNumbers.size())]);
}

/// The value of one line behind the key of the other.
void exchange_value(std::string& line, const std::string& other) {
  const std::size_t mine = line.find('=');
  const std::size_t theirs = other.find('=');
  if (mine != line.npos && theirs != other.npos)
    line = line.substr(0, mine) + other.substr(theirs);
}

void add(std::vector<std::string>& words, const std::string& name,
         const std::vector<OptionInfo>& options) {
  words.push_back(name);
  for (const OptionInfo& option : options) {
    words.push_back(option.name + "=" + option.default_value);
    for (const std::string& word : option.words)
      words.push_back(option.name + "=" + word);
  }
}

}  // namespace

std::string mutated_lines(std::string_view text, std::uint32_t seed,
                          std::span<const std::string> vocabulary) {
  Random random(seed);
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty())
    lines.emplace_back();
  const std::size_t place = below(random, lines.size());
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(place);
  switch (random() % 7) {
    case 0:
    case 1:
      change_number(lines[place], random);
      break;
    case 2:
      lines.erase(at);
      break;
    case 3:
      lines.insert(at, std::string(lines[place]));
      break;
    case 4:
      std::swap(lines[place], lines[below(random, lines.size())]);
      break;
    case 5:
      exchange_value(lines[place], lines[below(random, lines.size())]);
      break;
    default:
      if (vocabulary.empty())
        break;
      if (random() % 2 == 0)
        lines[place] = vocabulary[below(random, vocabulary.size())];
      else
        lines.push_back(vocabulary[below(random, vocabulary.size())]);
  }
  std::string mutated;
  for (const std::string& line : lines)
    mutated.append(line).append("\n");
  return mutated;
}

const std::vector<std::string>& vocabulary_of_program() {
  static const std::vector<std::string> vocabulary = [] {
    std::vector<std::string> words{"step_time=10ms",
                                   "update_time=1ms",
                                   "batch=8",
                                   "global_batch=64",
                                   "straggler.1=1.5",
                                   "cluster.nodes=4",
                                   "cluster.gpus_per_node=1",
                                   "cluster.nic.bandwidth=1Gbps",
                                   "cluster.nic.startup=5us",
                                   "cluster.rack.nodes=2",
                                   "cluster.rack.oversubscription=2",
                                   "cluster.software.jitter=0.1",
                                   "cluster.overlap.communication_slowdown=1",
                                   "slow bernoulli:factor=6,p=1/4",
                                   "slow lognormal:sigma=0.14,on=network",
                                   "slow exponential:mean=0.1",
                                   "slow pareto:alpha=3",
                                   "slow episodes:factor=2,every=10,least=1,most=5"};
    for (const ScheduleInfo& schedule : all_schedules())
      add(words, schedule.name, schedule.options);
    return words;
  }();
  return vocabulary;
}

}  // namespace stepcast::fuzz
