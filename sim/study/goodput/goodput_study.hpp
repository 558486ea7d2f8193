#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/goodput/elastic_speed.hpp"
#include "sim/study/goodput/goodput.hpp"

namespace stepcast {

struct GoodputQuestion {
  GoodputRequest request;
  bool choose_spares = false;                ///< As many as pay.
  bool nodes_given = true;                   ///< Else the request's are those of one node.
  std::optional<TrainingForecast> training;  ///< What the job trains.
  std::vector<std::string> caveats{};        ///< Of the cluster that it trains on.
  double samples = 0;                        ///< To train on; 0: not asked.
  double price = 0;                          ///< Of a GPU an hour, spares too; 0: not asked.
};

/// At the median of the seeds, and at the run of twenty that takes longest.
struct LikelyAndLate {
  double p50 = 0;
  double p95 = 0;
};

struct GoodputAnswer {
  GoodputQuestion question;  ///< With the spares that were chosen.
  Goodput goodput;
  std::vector<SparesTried> spares_tried;
  double kept_samples_per_s = 0;  ///< Of work that stays done; 0: nobody said what is trained.
  /// Efficiency x (step without slow-downs / step with them) x share of the nodes that are in use.
  double goodput_share = 0;
  std::optional<LikelyAndLate> hours;  ///< To the samples.
  std::optional<LikelyAndLate> cost;   ///< In the price's currency.
  std::optional<SparesRemedy> remedy;  ///< Where the job lacks nodes and spares were not chosen.
  std::vector<std::string> warnings;
};

/// Throws as find_goodput().
GoodputAnswer answer_to(GoodputQuestion question);

}  // namespace stepcast
