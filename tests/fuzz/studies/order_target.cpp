// What every stage of a pipeline does, as a user writes it.
#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"

namespace stepcast::fuzz {

bool accepts_order(std::string_view text) {
  return accepts([&] {
    const PipelineOrder order = parse_order(text);
    require(order.ranks.size() == order.stages, "every stage does something");
    const PipelineOrder again = parse_order(order_text(order));
    require(again.ranks == order.ranks && again.chunks == order.chunks &&
                again.micro_batches == order.micro_batches,
            "what is written is read back");
  });
}

}  // namespace stepcast::fuzz
