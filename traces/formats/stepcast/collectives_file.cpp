#include "traces/formats/stepcast/collectives_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "models/collective/curve_fit.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr std::size_t kMostCurves = 4096;
constexpr std::uint32_t kMostRanks = 1U << 20U;

/// Those that benchmarks measure: all but sends between neighbours.
CollectiveKind read_kind(ObjectReader& object) {
  const std::string name = object.text("collective");
  const auto found = find_collective_kind(name);
  if (found && *found != CollectiveKind::Send)
    return *found;
  std::vector<std::string> known;
  for (const CollectiveKind kind : all_collective_kinds())
    if (kind != CollectiveKind::Send)
      known.emplace_back(name_of(kind));
  object.fail("collective", fmt::format("expected one of {}, found {}{}", fmt::join(known, ", "),
                                        in_quotes(name), did_you_mean(name, known)));
}

/// Within what any network can do: beyond, logarithms and products would overflow.
std::vector<double> read_numbers(ObjectReader& object, const char* key, double least, double most) {
  const json& array = object.raw(key);
  if (!array.is_array() || array.empty())
    object.fail(key, "expected an array of at least one number");
  std::vector<double> numbers;
  for (const json& value : array) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number >= least) || number > most)
      object.fail(key, fmt::format("expected numbers from {} to {}, found {} at place {}", least,
                                   most, in_quotes(shown(value)), numbers.size() + 1));
    numbers.push_back(number);
  }
  return numbers;
}

CollectiveCurve read_curve(ObjectReader& object) {
  CollectiveCurve curve{.kind = read_kind(object),
                        .ranks = object.count_up_to("ranks", 2, kMostRanks),
                        .nodes = object.count_up_to("nodes", 1, kMostRanks)};
  if (curve.ranks % curve.nodes != 0)
    object.fail("nodes",
                fmt::format("expected a divisor of {} ranks, found {}", curve.ranks, curve.nodes));
  const std::vector<double> sizes = read_numbers(object, "sizes_bytes", 1, 1e15);
  const std::vector<double> times = read_numbers(object, "times_s", 1e-9, 1e6);
  if (sizes.size() != times.size())
    object.fail("times_s",
                fmt::format("expected {} times, one a size, found {}", sizes.size(), times.size()));
  if (std::ranges::adjacent_find(sizes, std::greater_equal()) != sizes.end())
    object.fail("sizes_bytes", "expected sizes that grow");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    curve.points.push_back({Bytes{sizes[i]}, Seconds{times[i]}});
  object.finish();
  return curve;
}

void refuse_second(const MeasuredCollectives& measured, const CollectiveCurve& curve,
                   ObjectReader& object) {
  const bool second = std::ranges::any_of(measured.curves, [&](const CollectiveCurve& known) {
    return known.kind == curve.kind && known.ranks == curve.ranks && known.nodes == curve.nodes;
  });
  if (second)
    object.fail("ranks", fmt::format("expected one {} curve of {} ranks on {} nodes, found two",
                                     name_of(curve.kind), curve.ranks, curve.nodes));
}

constexpr std::array kNodePaths = {std::pair{NodePath::NvLink, "nvlink"},
                                   std::pair{NodePath::Pcie, "pcie"}};

NodePath read_node_path(ObjectReader& object, const char* key) {
  const std::string name = object.text(key);
  const std::optional<NodePath> path = find_node_path(name);
  if (!path)
    object.fail(key, fmt::format("expected {}, found {}", kNodePathWords, in_quotes(name)));
  return *path;
}

std::string curve_text(const CollectiveCurve& curve) {
  std::vector<std::string> sizes;
  std::vector<std::string> times;
  for (const CurvePoint& point : curve.points) {
    sizes.push_back(fmt::format("{}", point.size.value));
    times.push_back(fmt::format("{:.9g}", point.time.value));
  }
  return fmt::format(R"({{
      "collective": "{}", "ranks": {}, "nodes": {},
      "sizes_bytes": [{}],
      "times_s": [{}]
    }})",
                     name_of(curve.kind), curve.ranks, curve.nodes, fmt::join(sizes, ", "),
                     fmt::join(times, ", "));
}

}  // namespace

std::optional<NodePath> find_node_path(std::string_view name) {
  const auto* found =
      std::ranges::find(kNodePaths, name, [](const auto& path) { return path.second; });
  return found == kNodePaths.end() ? std::nullopt : std::optional(found->first);
}

MeasuredCollectives parse_collectives(std::string_view text, const std::string& origin) {
  const json document = parse_json(text, origin);
  ObjectReader root(document, origin);
  read_format_header(root, "stepcast-collectives");
  MeasuredCollectives measured{.name = root.text("name"),
                               .provenance = read_provenance(root.object("provenance"))};
  if (root.has("nccl"))
    measured.nccl = read_node_path(root, "nccl");
  std::vector<ObjectReader> curves = root.objects("curves");
  if (curves.empty() || curves.size() > kMostCurves)
    root.fail("curves",
              fmt::format("expected 1 to {} curves, found {}", kMostCurves, curves.size()));
  for (ObjectReader& object : curves) {
    CollectiveCurve curve = read_curve(object);
    refuse_second(measured, curve, object);
    measured.curves.push_back(std::move(curve));
  }
  root.finish();
  fit_curves(measured);
  return measured;
}

MeasuredCollectives read_collectives(const std::filesystem::path& path) {
  return parse_collectives(read_text_file(path), path.string());
}

std::string to_json_text(const MeasuredCollectives& measured) {
  JsonFileText file("stepcast-collectives");
  file.text("name", measured.name);
  if (measured.nccl)
    file.text("nccl", kNodePaths[static_cast<std::size_t>(*measured.nccl)].second);
  file.provenance(measured.provenance);
  file.lines("curves", measured.curves, curve_text);
  return std::move(file).finish();
}

}  // namespace stepcast
