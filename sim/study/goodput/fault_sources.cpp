#include "sim/study/goodput/fault_sources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/law_fields.hpp"
#include "models/base/mix.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

constexpr Seconds kLeastMtbf{1}, kMostMtbf{1e5 * 86400};

bool is_shape(double value) {
  return value > 0 && value <= 1e3;
}
bool is_sigma(double value) {
  return value >= 0 && value <= 5;
}
bool is_share(double value) {
  return value >= 0 && value < 1;
}

NodeFaults faults_of(LawFields& fields, const std::string& law) {
  NodeFaults faults;
  faults.mtbf = fields.time("mtbf", "a time between its faults, such as 220d");
  if (faults.mtbf < kLeastMtbf || faults.mtbf > kMostMtbf)
    throw InputError(law + ": mtbf: expected a time from 1s to 100000d");
  if (fields.has("repair"))
    faults.median_repair = fields.time("repair", "a time such as 4h");
  if (fields.has("sigma"))
    faults.repair_sigma = fields.number("sigma", "a number from 0 to 5", is_sigma);
  return faults;
}

FaultSources::Source source_of(const std::string& law, LawFields& fields) {
  FaultSources::Source source{.faults = faults_of(fields, law)};
  if (law == "node" && fields.has("frailty"))
    source.faults.frailty_shape =
        fields.number("frailty", "a shape above 0 and at most 1000", is_shape);
  if (law == "switch")
    source.together = fields.count("nodes", "nodes that it takes down", 2);
  if (law == "link")
    source.link_share = fields.number("share", "a share from 0 to below 1", is_share);
  return source;
}

}  // namespace

bool FaultSources::slows_links() const {
  return std::ranges::any_of(sources, [](const Source& each) { return each.link_share > 0; });
}

void add_fault_source(FaultSources& all, std::string_view text) {
  const std::vector<std::string> laws{"node", "switch", "link"};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string law(text.substr(0, colon));
  if (std::ranges::find(laws, law) == laws.end())
    throw InputError(fmt::format("expected one of {} with \":\", found {}{}", fmt::join(laws, ", "),
                                 in_quotes(text), did_you_mean(law, laws)));
  LawFields fields(law, text.substr(std::min(colon + 1, text.size())));
  all.sources.push_back(source_of(law, fields));
  fields.expect_no_more();
}

std::vector<Outage> draw_outages(const FaultSources& all, std::uint32_t nodes, Seconds length,
                                 std::uint64_t seed) {
  std::vector<Outage> outages;
  for (std::size_t i = 0; i < all.sources.size(); ++i) {
    const FaultSources::Source& source = all.sources[i];
    const std::uint32_t units = (nodes + source.together - 1) / source.together;
    for (Outage outage : draw_outages(source.faults, units, length, mixed(seed, i))) {
      outage.link_share = source.link_share;
      const std::uint32_t first = outage.node * source.together;
      for (outage.node = first; outage.node < std::min(first + source.together, nodes);
           ++outage.node)
        outages.push_back(outage);
    }
  }
  std::ranges::stable_sort(outages, {}, &Outage::begin);
  return outages;
}

Seconds mtbf_of(const FaultSources& all, std::uint32_t nodes) {
  double rate = 0;  // per second
  for (const FaultSources::Source& source : all.sources)
    if (source.link_share == 0) {
      const double units = (nodes + source.together - 1) / source.together;
      rate += units / (source.faults.mtbf + mean_repair(source.faults)).value;
    }
  return rate > 0 ? Seconds{1 / rate} : Seconds{kMostMtbf};
}

}  // namespace stepcast
