#include "sim/study/validate/hardware_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/device/gemm_model.hpp"
#include "models/device/size_curve.hpp"

namespace stepcast {
namespace {

constexpr const char* kReplay = "replay";

/// Points that lie on one curve.
using GroupKey = std::tuple<std::string, KernelFamily, std::uint32_t, std::uint32_t, std::uint32_t>;
using Groups = std::map<GroupKey, std::vector<KernelPoint>>;

Groups grouped(std::span<const HardwareResults> files) {
  Groups groups;
  for (const HardwareResults& file : files)
    for (const KernelPoint& point : file.points) {
      const KernelShape& shape = point.shape;
      groups[{file.device, shape.family, shape.nodes, shape.gpus, shape.communicators}].push_back(
          point);
    }
  return groups;
}

bool is_product(const KernelShape& shape) {
  return unit_of(shape.family) == SizeUnit::Shape;
}

auto place_of(const KernelPoint& point) {
  const KernelShape& shape = point.shape;
  const double size = is_product(shape) ? flops_of(shape).value : static_cast<double>(shape.size);
  return std::tuple(size, shape.m, shape.n, shape.k);
}

void sort_points(std::vector<KernelPoint>& points, const std::string& device) {
  std::ranges::sort(points, {}, place_of);
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].shape == points[i - 1].shape)
      throw InputError(fmt::format("validate: {} of {} is measured twice: {}",
                                   name_of(points[i].shape.family), device,
                                   describe(points[i].shape)));
}

/// The model of one group.
class GroupModel {
 public:
  explicit GroupModel(const std::vector<KernelPoint>& fitted) {
    if (is_product(fitted.front().shape)) {
      products_.emplace_back(fitted);
      return;
    }
    std::vector<SizeCurve::Point> points;
    for (const KernelPoint& point : fitted)
      points.push_back({static_cast<double>(point.shape.size), point.time});
    curves_.emplace_back(std::move(points));
  }

  Seconds at(const KernelShape& shape) const {
    return products_.empty() ? curves_.front().at(static_cast<double>(shape.size))
                             : products_.front().at(shape);
  }

 private:
  std::vector<GemmModel> products_;  // one of the two holds one model
  std::vector<SizeCurve> curves_;
};

void predict_group(const std::string& device, const std::vector<KernelPoint>& points,
                   HardwareValidation& validation) {
  std::vector<KernelPoint> fitted;
  std::vector<KernelPoint> held_out;
  for (std::size_t i = 0; i < points.size(); ++i)
    (i % 2 == 1 && i + 1 < points.size() ? held_out : fitted).push_back(points[i]);
  validation.fitted += fitted.size();
  const GroupModel model(fitted);
  for (const KernelPoint& point : held_out)
    validation.cases.push_back({.device = device,
                                .family = name_of(point.shape.family),
                                .what = describe(point.shape),
                                .measured = point.time,
                                .predicted = model.at(point.shape),
                                .spread = point.spread});
}

std::string libraries_of(const Machine& machine) {
  std::string text;
  for (const auto& [name, version] : machine.libraries)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, version);
  return text;
}

void require_same(const HardwareResults& first, const HardwareResults& other, const char* what,
                  const std::string& found_first, const std::string& found_other) {
  if (found_first != found_other)
    throw InputError(
        fmt::format("validate: {} and {} are of one device, {}, but differ in their {}: {} and {}; "
                    "validate them one after the other",
                    first.name, other.name, first.device, what, found_first, found_other));
}

/// Models fitted on a mixture would be of no machine.
void require_one_machine_each(std::span<const HardwareResults> files) {
  std::map<std::string, const HardwareResults*> first_of;
  for (const HardwareResults& file : files) {
    const HardwareResults& first = *first_of.emplace(file.device, &file).first->second;
    require_same(first, file, "GPU", first.machine.gpu, file.machine.gpu);
    require_same(first, file, "driver", first.machine.driver, file.machine.driver);
    require_same(first, file, "libraries", libraries_of(first.machine), libraries_of(file.machine));
  }
}

/// The names of files tell how collectives were emulated.
void require_different_replays(std::span<const HardwareResults> files) {
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::uint32_t, bool>>
      seen;
  for (const HardwareResults& file : files)
    for (const ReplayResult& replay : file.replays)
      if (!seen.emplace(file.name, replay.schedule, replay.workload, replay.cluster, replay.gpus,
                        replay.emulated)
               .second)
        throw InputError(fmt::format("validate: {} is there twice, a replay of {}, {}", file.name,
                                     replay.schedule, replay.workload));
}

void add_replays(std::span<const HardwareResults> files, HardwareValidation& validation) {
  for (const HardwareResults& file : files)
    for (const ReplayResult& replay : file.replays)
      validation.cases.push_back(
          {.device = file.device,
           .family = kReplay,
           .what = fmt::format("{}, {}, {} GPU{}{}", replay.schedule, replay.workload, replay.gpus,
                               replay.gpus == 1 ? "" : "s", replay.emulated ? ", emulated" : ""),
           .measured = replay.measured,
           .predicted = replay.predicted,
           .spread = replay.spread});
}

/// Families in the order in which they first appear.
void summarise(HardwareValidation& validation) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<double>> errors;
  for (const HardwareCase& each : validation.cases) {
    const std::pair key(each.device, each.family);
    if (!errors.contains(key))
      order.push_back(key);
    errors[key].push_back(each.error());
  }
  for (const auto& key : order)
    validation.families.push_back(
        {.device = key.first, .family = key.second, .errors = summary_of(errors[key])});
}

}  // namespace

HardwareValidation validate_hardware(std::span<const HardwareResults> files) {
  require_one_machine_each(files);
  require_different_replays(files);
  HardwareValidation validation;
  for (const HardwareResults& file : files)
    if (file.quick)
      validation.quick.push_back(file.name);
  for (auto& [key, points] : grouped(files)) {
    std::vector<KernelPoint> sorted = points;
    sort_points(sorted, std::get<0>(key));
    predict_group(std::get<0>(key), sorted, validation);
  }
  add_replays(files, validation);
  summarise(validation);
  return validation;
}

const FamilyErrors* decisive_family(const HardwareValidation& validation) {
  const FamilyErrors* worst = nullptr;
  for (const FamilyErrors& family : validation.families)
    if (worst == nullptr || decisive_error(&family) > decisive_error(worst))
      worst = &family;
  return worst;
}

double decisive_error(const FamilyErrors* family) {
  if (family == nullptr)
    return 0;
  const double error = family->family == kReplay ? family->errors.worst : family->errors.median;
  return std::isnan(error) ? INFINITY : error;
}

}  // namespace stepcast
