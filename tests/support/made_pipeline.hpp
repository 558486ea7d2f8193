#pragma once
// Tables of operations of a pipeline whose truth is known.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/pass_orders.hpp"

namespace stepcast {

/// One forward, one backward pass in turn; parameters that come back first; then sums of gradients
/// (and of what the first and the last stage share), the norm over all ranks and the update. Nobody
/// waits for the host. Times in seconds.
struct MadePipeline {
  std::uint32_t stages = 4;
  std::uint32_t copies = 2;
  std::uint32_t micro_batches = 4;
  int steps = 3;
  /// Of a pass (stage, copy, step).
  std::function<double(int, int, int)> forward = [](int, int, int) { return 0.010; };
  std::function<double(int, int, int)> backward = [](int, int, int) { return 0.020; };
  /// The host stands still before a forward pass (stage, copy, step, micro-batch);
  std::function<double(int, int, int, int)> pause = [](int, int, int, int) { return 0.0; };
  bool within = false;  ///< or in it.
  /// Of the host, before the sums of a stage.
  std::function<double(int)> late = [](int /*stage*/) { return 0.0; };
  /// Of the host, before the first pass (stage, copy).
  std::function<double(int, int)> before = [](int /*stage*/, int /*copy*/) { return 0.0; };
  bool together = false;  ///< The host lets sums begin when all copies are there.
  double message = 0;
  /// How many times as long it takes below a stage (the earlier of both stages, copy).
  std::function<double(int, int)> longer = [](int, int) { return 1.0; };
  bool asked_late = false;  ///< A rank asks for a message when its last pass is over.
  double gather = 0;
  double sum = 0;
  double tied = 0;
  double norm = 0;
  double update = 0;

  std::string text() const {
    OperationRows rows;
    for (int step = 0; step < steps; ++step)
      Step(*this, step, rows).run();
    return rows.text();
  }

 private:
  class Step {
   public:
    Step(const MadePipeline& made, int number, OperationRows& rows)
        : made_(made),
          number_(number),
          rows_(rows),
          order_(order_of("1f1b", made.stages, made.micro_batches)) {}

    void run() {
      std::vector<std::vector<double>> ends;  // of passes, by copy and stage
      for (int copy = 0; copy < static_cast<int>(made_.copies); ++copy)
        ends.push_back(passes_of(copy));
      finish(ends);
    }

   private:
    void add(std::size_t stage, int copy, const char* type, double begin, double end,
             int sequence = 0, int micro_batch = -1) {
      const int at = static_cast<int>(stage);
      rows_.add(copy, at, copy + static_cast<int>(made_.copies) * at, number_, type, begin,
                end - begin, sequence, micro_batch);
    }

    std::vector<double> passes_of(int copy) {
      const std::size_t stages = made_.stages;
      const double none = -1;
      std::vector<std::vector<double>> forward(stages, std::vector(made_.micro_batches, none));
      std::vector<std::vector<double>> backward = forward;
      std::vector<double> free(stages, made_.gather);
      std::vector<std::size_t> next(stages, 0);
      for (std::size_t s = 0; s < stages && made_.gather > 0; ++s)
        add(s, copy, "params-all-gather", 0, made_.gather);
      for (std::size_t s = 0; s < stages; ++s)
        free[s] += made_.before(static_cast<int>(s), copy);
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < stages; ++s)
          while (next[s] < order_.ranks[s].size()) {
            const PipelinePass& pass = order_.ranks[s][next[s]];
            const bool is_forward = pass.kind == PassKind::Forward;
            const bool first = is_forward ? s == 0 : s + 1 == stages;
            const auto& before = is_forward ? forward : backward;
            const double sent = first ? 0 : before[is_forward ? s - 1 : s + 1][pass.micro_batch];
            if (sent == none)
              break;
            const int stage = static_cast<int>(s);
            const double asked = made_.asked_late ? std::max(sent, free[s]) : sent;
            const int above = is_forward ? stage - 1 : stage;
            const double ready = first ? 0 : asked + made_.message * made_.longer(above, copy);
            const int batch = static_cast<int>(pass.micro_batch);
            const double pause = is_forward ? made_.pause(stage, copy, number_, batch) : 0;
            const double begin = std::max(free[s], ready) + (made_.within ? 0 : pause);
            free[s] = begin + (is_forward ? made_.forward : made_.backward)(stage, copy, number_) +
                      (made_.within ? pause : 0);
            (is_forward ? forward : backward)[s][pass.micro_batch] = free[s];
            if (!first) {
              add(s, copy, is_forward ? "forward-recv" : "backward-recv", asked, ready, batch);
              add(is_forward ? s - 1 : s + 1, copy, is_forward ? "forward-send" : "backward-send",
                  sent, ready, batch);
            }
            add(s, copy, is_forward ? "forward-compute" : "backward-compute", begin, free[s], batch,
                batch);
            ++next[s];
            moved = true;
          }
      }
      return free;
    }

    void finish(std::vector<std::vector<double>>& ends) {
      double last = 0;
      for (std::size_t s = 0; s < made_.stages; ++s) {
        double met = 0;
        for (auto& copy : ends) {
          copy[s] += made_.late(static_cast<int>(s));
          met = std::max(met, copy[s]);
        }
        for (std::size_t copy = 0; copy < ends.size() && made_.sum > 0; ++copy) {
          const double begin = made_.together ? met : ends[copy][s];
          add(s, static_cast<int>(copy), "grads-reduce-scatter", begin, met + made_.sum);
          ends[copy][s] = met + made_.sum;
        }
      }
      for (std::size_t copy = 0; copy < ends.size(); ++copy) {
        std::vector<double>& of = ends[copy];
        const double tied = std::max(of.front(), of.back()) + made_.tied;
        for (const std::size_t s : {std::size_t{0}, std::size_t{made_.stages - 1}}) {
          if (made_.tied == 0)
            break;
          add(s, static_cast<int>(copy), "embedding-grads-all-reduce", of[s], tied);
          of[s] = tied;
        }
        last = std::max(last, *std::ranges::max_element(of));
      }
      last += made_.norm;
      for (std::size_t copy = 0; copy < ends.size(); ++copy)
        for (std::size_t s = 0; s < made_.stages; ++s) {
          add(s, static_cast<int>(copy), "optimizer-clip-main-grad", ends[copy][s], last);
          add(s, static_cast<int>(copy), "optimizer", last, last + made_.update);
        }
    }

    const MadePipeline& made_;
    int number_;
    OperationRows& rows_;
    PipelineOrder order_;
  };
};

}  // namespace stepcast
