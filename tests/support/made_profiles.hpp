#pragma once
// Profiles of the ranks of a job whose truth is known. Times in microseconds.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace stepcast {

/// Data-parallel ranks: a host that launches ahead of its device, forward kernels, backward kernels
/// with a bucket of gradients behind every second one, an update that waits for the last bucket and
/// a host that waits for the update.
struct MadeProfiles {
  int ranks = 4;
  int steps = 6;
  int layers = 6;
  /// A kernel of a layer takes so long (rank, step, layer, whether forward).
  std::function<double(int, int, int, bool)> kernel = [](int, int, int, bool forward) {
    return forward ? 1000.0 : 2000.0;
  };
  /// Ranks reduce the last bucket with all others, the others in groups of so many neighbours; a
  /// transfer takes so long (first rank of the group).
  int group = 4;
  std::function<double(int)> transfer = [](int /*first*/) { return 1500.0; };
  double launch = 5;                                            ///< The host takes for a launch.
  std::function<double(int)> offset = [](int) { return 0.0; };  ///< Of a rank's clock.
  /// And by so much once it was set anew (rank, true time).
  std::function<double(int, double)> ahead = [](int, double) { return 0.0; };
  /// Whether an event is lost on its way to the file (rank, number of the event): of kernels alone,
  /// or also of operators, calls and marks of steps.
  std::function<bool(int, int)> lost = [](int, int) { return false; };
  bool lose_all_kinds = true;

  /// The traces, by rank.
  std::vector<std::string> texts() const { return Writer(*this).run(); }

 private:
  struct Writer {
    explicit Writer(const MadeProfiles& job)
        : made(job), ranks(static_cast<std::size_t>(job.ranks)) {}

    struct Rank {
      std::string events;
      double host = 0;
      double compute = 0;
      double network = 0;
      int correlation = 0;
      int count = 0;
      std::vector<double> arrivals;  // At the buckets of this step.
      std::vector<int> launches;     // Of their reductions.
    };

    const MadeProfiles& made;
    std::vector<Rank> ranks;

    void add(int rank, const char* category, const std::string& name, double begin, double duration,
             const std::string& arguments, int thread = 1) {
      Rank& of = at(rank);
      if ((made.lose_all_kinds || std::string(category) == "kernel") && made.lost(rank, of.count++))
        return;
      of.events += fmt::format(
          ",\n"
          R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}})",
          category, name, thread, 1e6 + begin + made.offset(rank) + made.ahead(rank, begin),
          duration + made.ahead(rank, begin + duration) - made.ahead(rank, begin), arguments);
    }

    Rank& at(int rank) { return ranks[static_cast<std::size_t>(rank)]; }

    /// The launch of a kernel, by an operator of its own; returns its number.
    int launch(int rank, const std::string& op, bool backward) {
      Rank& of = at(rank);
      const std::string name =
          backward ? "autograd::engine::evaluate_function: " + op + "Backward0" : op;
      const int thread = backward ? 2 : 1;
      add(rank, "cpu_op", name, of.host, made.launch,
          fmt::format(R"("Sequence number": 1, "Fwd thread id": {}, "Input Dims": [[8, 4]])",
                      backward ? 1 : 0),
          thread);
      add(rank, "cuda_runtime", "cudaLaunchKernel", of.host + 1, made.launch - 2,
          fmt::format(R"("correlation": {})", ++of.correlation), thread);
      of.host += made.launch;
      return of.correlation;
    }

    void kernel(int rank, const std::string& name, int stream, double begin, double end,
                int launched, const std::string& more = "") {
      add(rank, "kernel", name, begin, end - begin,
          fmt::format(R"("device": 0, "stream": {}, "correlation": {}{})", stream, launched, more));
    }

    void compute(int rank, const std::string& name, double time, bool backward) {
      const int launched = launch(rank, name, backward);
      Rank& of = at(rank);
      const double begin = std::max(of.compute, of.host);
      of.compute = begin + time;
      kernel(rank, name + "_kernel", 7, begin, of.compute, launched);
    }

    void passes(int rank, int step) {
      at(rank).arrivals.clear();
      at(rank).launches.clear();
      for (int layer = 0; layer < made.layers; ++layer)
        compute(rank, fmt::format("aten::linear{}", layer), made.kernel(rank, step, layer, true),
                false);
      for (int layer = made.layers; layer-- > 0;) {
        compute(rank, fmt::format("Linear{}", layer), made.kernel(rank, step, layer, false), true);
        if (layer % 2 == 0) {
          at(rank).launches.push_back(launch(rank, "c10d::allreduce_", true));
          at(rank).arrivals.push_back(std::max(at(rank).compute, at(rank).host));
        }
      }
    }

    void reduce(int rank, std::size_t bucket) {
      const bool last = bucket + 1 == at(rank).arrivals.size();
      const int size = last ? made.ranks : made.group;
      std::vector<int> group;
      for (int member = rank / size * size; member < rank / size * size + size; ++member)
        group.push_back(member);
      double met = 0;
      for (const int member : group)
        met = std::max(
            {met, at(member).arrivals[bucket], ends[bucket][static_cast<std::size_t>(member)]});
      Rank& of = at(rank);
      const double begin = std::max(of.arrivals[bucket], of.network);
      const double end = met + made.transfer(last ? 0 : group.front());
      of.network = end;
      next[static_cast<std::size_t>(rank)] = end;
      std::string members;
      for (const int member : group)
        members += fmt::format("{}{}", members.empty() ? "" : ", ", member);
      kernel(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 20, begin, end,
             of.launches[bucket],
             fmt::format(R"(, "Collective name": "allreduce", "In msg nelems": 1000000, )"
                         R"("Out msg nelems": 1000000, "Group size": {}, "dtype": "Float", )"
                         R"("Process Group Name": "{}", "Process Group Ranks": "[{}]")",
                         group.size(), members, members));
    }

    void update(int rank) {
      Rank& of = at(rank);
      for (std::size_t bucket = 0; bucket < of.arrivals.size(); ++bucket) {
        add(rank, "cuda_runtime", "cudaStreamWaitEvent", of.host, 1, R"("correlation": 99999)");
        of.host += 2;
      }
      of.compute = std::max(of.compute, of.network);
      compute(rank, "aten::add_", 500, false);
      add(rank, "cuda_runtime", "cudaDeviceSynchronize", of.host, of.compute - of.host + 3,
          R"("correlation": 99998)");
      of.host = of.compute + 5;
    }

    std::vector<std::vector<double>>
        ends;  // Before each bucket: when the ranks' networks are free.
    std::vector<double> next;

    void step(int number) {
      std::vector<double> begins;
      for (int rank = 0; rank < made.ranks; ++rank) {
        begins.push_back(at(rank).host);
        passes(rank, number);
      }
      const std::size_t buckets = at(0).arrivals.size();
      ends.assign(buckets + 1, std::vector<double>(ranks.size()));
      for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        next = ends[bucket];
        for (int rank = 0; rank < made.ranks; ++rank)
          reduce(rank, bucket);
        ends[bucket + 1] = next;
      }
      for (int rank = 0; rank < made.ranks; ++rank) {
        update(rank);
        const double begin = begins[static_cast<std::size_t>(rank)];
        add(rank, "user_annotation", fmt::format("ProfilerStep#{}", number), begin,
            at(rank).host - begin - 1, "");
      }
    }

    std::vector<std::string> run() {
      for (int number = 0; number < made.steps; ++number)
        step(number);
      std::vector<std::string> texts;
      for (int rank = 0; rank < made.ranks; ++rank)
        texts.push_back(fmt::format(
            R"({{"schemaVersion": 1, "distributedInfo": {{"rank": {}, "world_size": {}}}, "traceEvents": [)"
            "\n{}\n]}}",
            rank, made.ranks, at(rank).events.substr(2)));
      return texts;
    }
  };
};

}  // namespace stepcast
