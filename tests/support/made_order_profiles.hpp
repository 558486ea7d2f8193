#pragma once
// Profiles of a pipeline of any depth, whose truth is known, by two ways to wait for messages.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "tests/support/pass_orders.hpp"
#include "tests/support/profile_events.hpp"

namespace stepcast {

/// Stages with two data-parallel ranks each; rank 2 s + d is stage s of pipeline d. A forward pass
/// takes 1 ms, a backward pass 2 ms, a message 100 us on a stream of its own for each direction and
/// end; then gradients are added up among the two, all ranks agree, and update. Times in
/// microseconds.
struct MadeOrderProfiles {
  std::vector<double> longer{1, 1, 1, 1};  ///< By stage: its passes take so many times as long.
  bool gpipe = false;                      ///< Else 1F1B.
  /// A send is waited for at once, together with the next receive if that comes back from where it
  /// went to (Megatron's fused exchange); else nobody waits for a send.
  bool waits_for_sends = true;
  int micro_batches = 8;
  int steps = 5;

  std::vector<std::string> texts() const { return Writer(*this).run(); }

  /// How long a step takes, from the same rules.
  double step_us() const {
    Writer writer(*this);
    writer.run();
    return writer.last_step;
  }

 private:
  static constexpr int kCopies = 2;
  static constexpr double kMessage = 100;

  /// A message by its direction, micro-batch and sending stage.
  using Key = std::tuple<bool, std::uint32_t, int>;
  struct End {
    bool sends = false;
    Key key;
  };
  /// A pass, or ends of messages that are begun together and then waited for.
  struct Action {
    const PipelinePass* pass = nullptr;
    std::vector<End> ends;
    bool waits = true;
  };

  struct Writer : ProfileEvents<Writer> {
    explicit Writer(const MadeOrderProfiles& job)
        : made(job), stages(static_cast<int>(job.longer.size())), ranks(job.longer.size() * 2) {
      const auto p = static_cast<std::uint32_t>(stages);
      const auto m = static_cast<std::uint32_t>(job.micro_batches);
      order = job.gpipe ? order_of("gpipe", p, m) : order_of("1f1b", p, m);
    }

    const MadeOrderProfiles& made;
    int stages;
    PipelineOrder order;
    std::vector<ProfileRank> ranks;
    double last_step = 0;
    std::map<std::tuple<int, bool, bool>, double> network;  // Free: rank, direction, end.

    ProfileRank& at(int rank) { return ranks[static_cast<std::size_t>(rank)]; }
    void add(int rank, const char* category, const std::string& name, double begin, double duration,
             const std::string& arguments, int thread = 1) {
      at(rank).events += profile_slice(category, name, thread, begin, duration, arguments);
    }
    static std::string collective(const char* name, const std::vector<int>& group) {
      const std::string members = fmt::format("{}", fmt::join(group, ", "));
      return fmt::format(R"(, "Collective name": "{}", "In msg nelems": 1000000, )"
                         R"("Out msg nelems": 1000000, "Group size": {}, "dtype": "Float", )"
                         R"("Process Group Name": "{}", "Process Group Ranks": "[{}]")",
                         name, group.size(), members, members);
    }

    void compute(int rank, const std::string& op, const std::string& name, double time,
                 int thread) {
      const int launched = launch(rank, op, thread);
      ProfileRank& of = at(rank);
      const double begin = std::max(of.compute, of.host);
      of.compute = begin + time;
      kernel(rank, name, 7, begin, of.compute, launched);
    }

    static bool is_forward(const PipelinePass& pass) { return pass.kind == PassKind::Forward; }
    Key from_before(int stage, const PipelinePass& pass) const {
      return {is_forward(pass), pass.micro_batch, is_forward(pass) ? stage - 1 : stage + 1};
    }
    bool has_before(int stage, const PipelinePass& pass) const {
      return is_forward(pass) ? stage > 0 : stage + 1 < stages;
    }
    bool has_behind(int stage, const PipelinePass& pass) const {
      return is_forward(pass) ? stage + 1 < stages : stage > 0;
    }

    std::vector<Action> actions(int stage) const {
      const auto& passes = order.ranks[static_cast<std::size_t>(stage)];
      std::vector<Action> all;
      bool received = false;
      for (std::size_t i = 0; i < passes.size(); ++i) {
        const PipelinePass& pass = passes[i];
        if (has_before(stage, pass) && !received)
          all.push_back({nullptr, {{false, from_before(stage, pass)}}});
        all.push_back({&pass, {}});
        received = false;
        if (!has_behind(stage, pass))
          continue;
        Action sent{nullptr, {{true, {is_forward(pass), pass.micro_batch, stage}}}};
        sent.waits = made.waits_for_sends;
        const bool turns = i + 1 < passes.size() && is_forward(passes[i + 1]) != is_forward(pass);
        if (made.waits_for_sends && turns && has_before(stage, passes[i + 1])) {
          sent.ends.push_back({false, from_before(stage, passes[i + 1])});
          received = true;
        }
        all.push_back(std::move(sent));
      }
      return all;
    }

    std::map<std::pair<Key, bool>, std::pair<double, int>> begun;  // Of a copy: when, launch.
    std::map<Key, double> done;

    void end_message(const Key& key, int copy) {
      const auto sent = begun.find({key, true});
      const auto received = begun.find({key, false});
      if (sent == begun.end() || received == begun.end() || done.contains(key))
        return;
      const auto [forward, batch, stage] = key;
      const int from = kCopies * stage + copy;
      const int to = kCopies * (forward ? stage + 1 : stage - 1) + copy;
      double& free_from = network[{from, forward, true}];
      double& free_to = network[{to, forward, false}];
      const double begin = std::max(sent->second.first, free_from);
      const double ready = std::max(received->second.first, free_to);
      const double end = std::max(begin, ready) + kMessage;
      free_from = free_to = done[key] = end;
      const std::vector<int> group{std::min(from, to), std::max(from, to)};
      const int stream = forward ? 21 : 23;
      const char* name = "ncclDevKernel_SendRecv(ncclDevComm*)";
      kernel(from, name, stream, begin, end, sent->second.second, collective("send", group));
      kernel(to, name, stream + 1, ready, end, received->second.second, collective("recv", group));
    }

    /// Whether it is over; else somebody else has to come first.
    bool act(int stage, int copy, const Action& action) {
      const int rank = kCopies * stage + copy;
      if (action.pass != nullptr) {
        const bool forward = is_forward(*action.pass);
        compute(rank,
                forward ? "aten::linear" : "autograd::engine::evaluate_function: LinearBackward0",
                forward ? "gemm" : "gemm_backward",
                (forward ? 1000 : 2000) * made.longer[static_cast<std::size_t>(stage)],
                forward ? 1 : 2);
        return true;
      }
      for (const End& end : action.ends)
        if (!begun.contains({end.key, end.sends})) {
          const int launched = launch(rank, end.sends ? "c10d::send" : "c10d::recv_");
          begun[{end.key, end.sends}] = {std::max(at(rank).compute, at(rank).host), launched};
          end_message(end.key, copy);
        }
      if (!action.waits)
        return true;
      for (const End& end : action.ends)
        if (!done.contains(end.key))
          return false;
      for (const End& end : action.ends) {
        wait(rank);
        at(rank).compute = std::max(at(rank).compute, done[end.key]);
      }
      return true;
    }

    void run_pipeline(int copy) {
      begun.clear();
      done.clear();
      std::vector<std::vector<Action>> all;
      for (int stage = 0; stage < stages; ++stage)
        all.push_back(actions(stage));
      std::vector<std::size_t> next(all.size());
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < all.size(); ++stage)
          while (next[stage] < all[stage].size() &&
                 act(static_cast<int>(stage), copy, all[stage][next[stage]])) {
            ++next[stage];
            moved = true;
          }
      }
    }

    void reduce(const std::vector<int>& group, int stream, double time) {
      double met = 0;
      for (const int rank : group)
        met = std::max(met, at(rank).compute);
      for (const int rank : group) {
        const int launched = launch(rank, "c10d::allreduce_", 2);
        kernel(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", stream,
               at(rank).compute, met + time, launched, collective("allreduce", group));
        wait(rank);
        at(rank).compute = met + time;
      }
    }

    std::vector<std::string> run() {
      std::vector<int> everybody;
      for (int rank = 0; rank < kCopies * stages; ++rank)
        everybody.push_back(rank);
      for (int number = 0; number < made.steps; ++number) {
        std::vector<double> begins;
        for (const ProfileRank& rank : ranks)
          begins.push_back(rank.host);
        for (int copy = 0; copy < kCopies; ++copy)
          run_pipeline(copy);
        for (int stage = 0; stage < stages; ++stage)
          reduce({kCopies * stage, kCopies * stage + 1}, 20, 500);
        reduce(everybody, 25, 30);
        for (const int rank : everybody) {
          compute(rank, "aten::add_", "update", 500, 1);
          ProfileRank& of = at(rank);
          add(rank, "cuda_runtime", "cudaDeviceSynchronize", of.host, of.compute - of.host + 3,
              R"("correlation": 99998)");
          of.host = of.compute + 5;
          const double begin = begins[static_cast<std::size_t>(rank)];
          last_step = of.host - begin;
          add(rank, "user_annotation", fmt::format("ProfilerStep#{}", number), begin, last_step - 1,
              "");
        }
      }
      std::vector<std::string> texts;
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        texts.push_back(fmt::format(
            R"({{"schemaVersion": 1, "distributedInfo": {{"rank": {}, "world_size": {}}}, "traceEvents": [{}]}})",
            rank, ranks.size(), ranks[rank].events.substr(1)));
      return texts;
    }
  };
};

}  // namespace stepcast
