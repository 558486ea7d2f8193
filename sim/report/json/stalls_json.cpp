#include "sim/report/json/stalls_json.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {

nlohmann::ordered_json stalls_json(const RecordedPace& pace) {
  return {{"stalled_steps", pace.stalled_steps},
          {"usual_steps", pace.usual_steps},
          {"usual_step_s", pace.usual.value},
          {"stalled_step_s", pace.stalled.value},
          {"shortest_stalled_step_s", pace.shortest.value},
          {"longest_stalled_step_s", pace.longest.value},
          {"mean_of_all_steps_s", pace.all.value}};
}

}  // namespace stepcast
