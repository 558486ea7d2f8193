#include "sim/asynchronous/recursion.hpp"

#include <algorithm>
#include <array>
#include <span>

// Seeds go in blocks, innermost in every loop, so that the compiler works on several at once. Of
// the starts of earlier iterations as many are kept as delay and tokens look back.

namespace stepcast {
namespace {

constexpr std::size_t kBlock = 16;    // seeds at once
constexpr std::size_t kMostKept = 8;  // the largest updates, of which `backup` are not waited for

using Times = std::array<double, kBlock>;

void raise(Times& times, const Times& to) {
  for (std::size_t s = 0; s < kBlock; ++s)
    times[s] = std::max(times[s], to[s]);
}

class Block {
 public:
  Block(const ProtocolJob& job, const Recursion& recursion, const std::vector<double>& messages,
        std::uint64_t first_seed)
      : job_(job),
        rule_(recursion),
        messages_(messages),
        sent_after_(sent_after(job, recursion.send)),
        kept_(std::max({recursion.delay, recursion.max_gap, 1U}) + 1),
        starts_(kept_ * job.workers),
        sends_(sent_after_ > 0 || job.traffic.occupancy ? starts_.size() : 0),
        links_free_(job.traffic.occupancy ? job.workers : 0),
        gradients_(job.workers),
        ends_(job.workers) {
    for (std::size_t s = 0; s < kBlock; ++s) {
      slow_[s] = job.slow_down;
      slow_[s].seed = first_seed + s;
    }
  }

  // The time of the last end.
  Times run() {
    for (std::uint32_t k = 0; k < job_.iterations; ++k) {
      start(k);
      compute(k);
      receive(k);
    }
    Times last{};
    for (const Times& end : ends_)
      raise(last, end);
    return last;
  }

 private:
  std::size_t place_of(std::uint32_t k, Rank i) const { return k % kept_ * job_.workers + i; }
  Times& start_of(std::uint32_t k, Rank i) { return starts_[place_of(k, i)]; }

  // Its own end, and the tokens that out-neighbours put when they began max_gap before.
  void start(std::uint32_t k) {
    for (Rank i = 0; i < job_.workers; ++i) {
      Times& own = start_of(k, i);
      own = ends_[i];
      if (rule_.max_gap > 0 && k >= rule_.max_gap && k > 0)
        tokens(own, k, i);
    }
  }

  void tokens(Times& own, std::uint32_t k, Rank i) {
    for (const Rank j : rule_.graph.to_of(k, i))
      raise(own, start_of(k - rule_.max_gap, j));
  }

  void compute(std::uint32_t k) {
    for (Rank i = 0; i < job_.workers; ++i) {
      const Times& begun = start_of(k, i);
      for (std::size_t s = 0; s < kBlock; ++s) {
        const double time = compute_time(job_, slow_[s], i, k).value;
        gradients_[i][s] = begun[s] + time;
        if (!sends_.empty())
          sends_[place_of(k, i)][s] = begun[s] + time * sent_after_;
      }
      if (!links_free_.empty())
        occupy(links_free_[i], sends_[place_of(k, i)], job_.traffic.occupancy(k, i).time.value);
    }
  }

  static void occupy(Times& free, Times& sends, double time) {
    for (std::size_t s = 0; s < kBlock; ++s) {
      sends[s] = std::max(sends[s], free[s]);
      free[s] = sends[s] + time;
    }
  }

  void receive(std::uint32_t k) {
    const bool sent = k >= rule_.delay;
    const std::uint32_t then = sent ? k - rule_.delay : 0;
    const double* message = messages_.data() + first_message(then);
    for (Rank i = 0; i < job_.workers; ++i) {
      Times end = gradients_[i];
      if (sent) {
        const auto senders = rule_.graph.from_of(then, i);
        if (rule_.backup == 0)
          wait_for_all(end, then, senders, message);
        else
          wait_for_most(end, then, senders, message);
        message += senders.size();
      }
      for (std::size_t s = 0; s < kBlock; ++s)
        ends_[i][s] = end[s] + job_.reduce.value;
    }
  }

  const Times& sent_at(std::uint32_t k, Rank j) {
    return sends_.empty() ? start_of(k, j) : sends_[place_of(k, j)];
  }

  void wait_for_all(Times& end, std::uint32_t k, std::span<const Rank> senders,
                    const double* message) {
    for (std::size_t j = 0; j < senders.size(); ++j) {
      const Times& sent = sent_at(k, senders[j]);
      for (std::size_t s = 0; s < kBlock; ++s)
        end[s] = std::max(end[s], sent[s] + message[j]);
    }
  }

  // Keeps the backup + 1 largest, the smallest of which is waited for.
  void wait_for_most(Times& end, std::uint32_t k, std::span<const Rank> senders,
                     const double* message) {
    std::array<Times, kMostKept> largest{};
    const std::size_t kept = std::min<std::size_t>(rule_.backup, kMostKept - 1) + 1;
    for (std::size_t j = 0; j < senders.size(); ++j) {
      const Times& sent = sent_at(k, senders[j]);
      for (std::size_t s = 0; s < kBlock; ++s) {
        double time = sent[s] + message[j];
        for (std::size_t place = 0; place < kept; ++place) {
          const double larger = std::max(largest[place][s], time);
          time = std::min(largest[place][s], time);
          largest[place][s] = larger;
        }
      }
    }
    raise(end, largest[kept - 1]);
  }

  std::size_t first_message(std::uint32_t k) const {
    const std::uint32_t round = k % rule_.graph.rounds();
    std::size_t first = 0;
    for (std::uint32_t before = 0; before < round; ++before)
      first += rule_.graph.from[before].edges();
    return first;
  }

  const ProtocolJob& job_;
  const Recursion& rule_;
  const std::vector<double>& messages_;
  double sent_after_;
  std::uint32_t kept_;
  std::vector<Times> starts_;
  std::vector<Times> sends_;  // where they are not the starts
  std::vector<Times> links_free_;
  std::vector<Times> gradients_;
  std::vector<Times> ends_;
  std::array<SlowDown, kBlock> slow_;
};

// By round, receiver and sender.
std::vector<double> message_times(const ProtocolJob& job, const PeerGraph& graph) {
  std::vector<double> times;
  for (std::uint32_t round = 0; round < graph.rounds(); ++round)
    for (Rank i = 0; i < graph.workers; ++i)
      for (const Rank j : graph.from[round][i])
        times.push_back(job.traffic.message(round, j, i).value);
  return times;
}

}  // namespace

std::vector<Seconds> recursion_times(const ProtocolJob& job, const Recursion& recursion,
                                     std::uint64_t first_seed, std::uint32_t seeds) {
  const std::vector<double> messages = message_times(job, recursion.graph);
  std::vector<Seconds> times;
  for (std::uint32_t done = 0; done < seeds; done += kBlock) {
    const Times ends = Block(job, recursion, messages, first_seed + done).run();
    for (std::size_t s = 0; s < kBlock && times.size() < seeds; ++s)
      times.push_back(Seconds{ends[s] / job.iterations});
  }
  return times;
}

}  // namespace stepcast
