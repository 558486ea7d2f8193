#include "sim/report/text/studies/edge_report.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

/// A way to choose blocks and shares.
struct Scheme {
  const char* blocks;
  const char* shares;
  EdgeRound round;
};

constexpr std::size_t kEqual = 0, kBest = 1, kJoint = 5;

std::array<Scheme, 6> schemes_of(const std::vector<EdgeDevice>& devices) {
  const std::vector<EdgeDevice> equal = with_equal_blocks(devices);
  return {{{"as given", "equal", equal_round(devices)},
           {"as given", "best", best_round(devices)},
           {"equal", "equal", equal_round(equal)},
           {"equal", "best", best_round(equal)},
           {"best", "equal", best_blocks_round(devices)},
           {"best", "best", joint_round(devices)}}};
}

double times_as_fast(const EdgeRound& round, const EdgeRound& other) {
  return round.time > Seconds{} ? other.time / round.time : 1;
}

std::string with_blocks_as_given(const std::vector<EdgeDevice>& devices, const EdgeRound& equal,
                                 const EdgeRound& best) {
  Table table{.columns = {{"device", Align::Left},
                          {"compute s"},
                          {"sent"},
                          {"rate"},
                          {"equal round s"},
                          {"best share"},
                          {"upload s"},
                          {"round s"}}};
  for (std::size_t i = 0; i < devices.size(); ++i)
    table.rows.push_back({devices[i].name, fmt::format("{:.4f}", devices[i].compute.value),
                          format_bytes(devices[i].size), format_bandwidth(devices[i].rate),
                          fmt::format("{:.4f}", equal.devices[i].round.value),
                          fmt::format("{:.1f} %", 100 * best.devices[i].share),
                          fmt::format("{:.4f}", best.devices[i].upload.value),
                          fmt::format("{:.4f}", best.devices[i].round.value)});
  return render(table) + '\n' +
         wrap(fmt::format("A round takes {} with equal shares and {} with the best: {:.3f} times "
                          "as fast.",
                          format_seconds(equal.time), format_seconds(best.time),
                          times_as_fast(best, equal)),
              0);
}

std::vector<std::string> left_out(const std::vector<EdgeDevice>& devices, const EdgeRound& joint) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].size > Bytes{} && joint.devices[i].block == Bytes{})
      names.push_back(devices[i].name);
  return names;
}

std::string with_best_blocks(const std::vector<EdgeDevice>& devices, const EdgeRound& joint) {
  Bytes model{};
  for (const EdgeDevice& device : devices)
    model += device.size;
  Table table{.columns = {{"device", Align::Left},
                          {"best block"},
                          {"of the model"},
                          {"joint share"},
                          {"joint compute s"},
                          {"joint upload s"},
                          {"joint round s"}}};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const EdgeShare& each = joint.devices[i];
    const double part = model > Bytes{} ? each.block / model : 0;
    table.rows.push_back(
        {devices[i].name, format_bytes(each.block), fmt::format("{:.1f} %", 100 * part),
         fmt::format("{:.1f} %", 100 * each.share), fmt::format("{:.4f}", each.compute.value),
         fmt::format("{:.4f}", each.upload.value), fmt::format("{:.4f}", each.round.value)});
  }
  return "Blocks and shares chosen together\n\n" + render(table);
}

std::string summary_of(const std::vector<EdgeDevice>& devices,
                       const std::array<Scheme, 6>& schemes) {
  const EdgeRound& joint = schemes[kJoint].round;
  std::string text = fmt::format(
      "A round takes {} with blocks and shares chosen together: {:.3f} times as fast as with the "
      "best shares alone and {:.3f} times as fast as with equal ones.",
      format_seconds(joint.time), times_as_fast(joint, schemes[kBest].round),
      times_as_fast(joint, schemes[kEqual].round));
  if (const auto names = left_out(devices, joint); !names.empty()) {
    constexpr std::size_t kNamed = 5;
    const std::size_t named = std::min(names.size(), kNamed);
    text += fmt::format(
        " No block for {}{}: the band moves more through the others.",
        fmt::join(names.begin(), names.begin() + static_cast<long>(named), ", "),
        names.size() > named ? fmt::format(" and {} more", names.size() - named) : std::string());
  }
  return wrap(text, 0);
}

std::string table_of(const std::array<Scheme, 6>& schemes) {
  Table table{.columns = {{"blocks", Align::Left}, {"shares", Align::Left}, {"round s"}}};
  for (const Scheme& scheme : schemes)
    table.rows.push_back(
        {scheme.blocks, scheme.shares, fmt::format("{:.4f}", scheme.round.time.value)});
  return render(table);
}

}  // namespace

std::string render_edge(const std::vector<EdgeDevice>& devices) {
  const std::array<Scheme, 6> schemes = schemes_of(devices);
  return fmt::format("{} devices that share a band\n\n{}\n{}\n{}\n{}\n{}", devices.size(),
                     with_blocks_as_given(devices, schemes[kEqual].round, schemes[kBest].round),
                     with_best_blocks(devices, schemes[kJoint].round), summary_of(devices, schemes),
                     "Rounds by what is chosen\n", table_of(schemes));
}

std::string edge_json(const std::vector<EdgeDevice>& devices) {
  const std::array<Scheme, 6> schemes = schemes_of(devices);
  const EdgeRound& equal = schemes[kEqual].round;
  const EdgeRound& best = schemes[kBest].round;
  const EdgeRound& joint = schemes[kJoint].round;
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                              {"equal_round_s", equal.time.value},
                              {"round_s", best.time.value},
                              {"joint_round_s", joint.time.value},
                              {"schemes", nlohmann::ordered_json::array()},
                              {"devices", nlohmann::ordered_json::array()}};
  for (const Scheme& scheme : schemes)
    json["schemes"].push_back({{"blocks", scheme.blocks},
                               {"shares", scheme.shares},
                               {"round_s", scheme.round.time.value}});
  for (std::size_t i = 0; i < devices.size(); ++i)
    json["devices"].push_back({{"device", devices[i].name},
                               {"compute_s", devices[i].compute.value},
                               {"size_bytes", devices[i].size.value},
                               {"rate_bytes_per_s", devices[i].rate.value},
                               {"equal_round_s", equal.devices[i].round.value},
                               {"share", best.devices[i].share},
                               {"upload_s", best.devices[i].upload.value},
                               {"round_s", best.devices[i].round.value},
                               {"joint_size_bytes", joint.devices[i].block.value},
                               {"joint_share", joint.devices[i].share},
                               {"joint_compute_s", joint.devices[i].compute.value},
                               {"joint_upload_s", joint.devices[i].upload.value},
                               {"joint_round_s", joint.devices[i].round.value}});
  return printed(json);
}

}  // namespace stepcast
