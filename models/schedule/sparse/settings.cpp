#include "models/schedule/sparse/settings.hpp"

#include <limits>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast::sparse {
namespace {

Selection selection_of(const OptionReader& read) {
  return read.choice_of<Selection>("selection", {{"exact", Selection::Exact},
                                                 {"search", Selection::Search},
                                                 {"sampled", Selection::Sampled},
                                                 {"fitted", Selection::Fitted},
                                                 {"free", Selection::Free}});
}

Encoding encoding_of(const OptionReader& read) {
  Encoding encoding;
  if (read.choice("value", {"fp32", "fp16"}) == "fp16")
    encoding.value = {2};
  encoding.bitmap = read.choice("index", {"int32", "bitmap"}) == "bitmap";
  return encoding;
}

double part_of(const OptionReader& read, const std::string& name) {
  const double value = read.number(name, 0);
  if (value > 1)
    read.fail(name, fmt::format("expected a number from 0 to 1, found \"{}\"", read.text(name)));
  return value;
}

std::vector<OptionInfo> selection_options(const Defaults& defaults) {
  return {
      {.name = "density",
       .default_value = defaults.density,
       .meaning = "selected part of the gradient, above 0 and at most 1"},
      {.name = "selection",
       .default_value = defaults.selection,
       .meaning = "exact (sorted top-k), search (MSTopK), sampled (DGC), fitted (SIDCo), or free: "
                  "compression costs nothing"},
      {.name = "selection_stream",
       .default_value = "compute",
       .meaning = "compute: selection delays the backward pass; own: it runs beside it and slows "
                  "nothing (a bound)"},
      {.name = "error_feedback",
       .default_value = "yes",
       .meaning = "yes or no: what is not sent is kept and added to the next gradient"},
      {.name = "clustering",
       .default_value = "0",
       .meaning = "0: the ranks select independently, 1: all the same entries"},
  };
}

std::vector<OptionInfo> message_options(const Defaults& defaults) {
  return {
      {.name = "value", .default_value = "fp32", .meaning = "type of a sent value: fp32, fp16"},
      {.name = "index",
       .default_value = "int32",
       .meaning = "where values belong: int32 each, or a bitmap of the tensor"},
      {.name = "fusion",
       .default_value = defaults.fusion,
       .meaning = "what is compressed together: layer, buffer, model, or binary (a buffer found by "
                  "binary search as TopKA2A's authors do)"},
      {.name = "fusion_buffer",
       .default_value = "25MiB",
       .meaning = "fusion=buffer: a group of gradients closes at this size"},
      {.name = "host_per_parameter",
       .default_value = "0us",
       .meaning = "host work for every parameter and step, on the compute stream, e.g. 60ns"},
  };
}

}  // namespace

Bytes size_of_values(const Encoding& encoding, double entries) {
  return encoding.value * entries;
}

Bytes size_of_indices(const Encoding& encoding, double entries, double elements) {
  return encoding.bitmap ? Bytes{elements / 8} : encoding.index * entries;
}

std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, const Defaults& defaults) {
  for (auto&& group : {selection_options(defaults), message_options(defaults)})
    own.insert(own.end(), group.begin(), group.end());
  return own;
}

double density_of(const OptionReader& read, const std::string& name) {
  const double density = read.number(name, 0);
  if (density <= 0 || density > 1)
    read.fail(name, fmt::format("expected a number above 0 and at most 1, found \"{}\"",
                                read.text(name)));
  return density;
}

Settings settings_of(const OptionReader& read) {
  return {.density = density_of(read, "density"),
          .selection = selection_of(read),
          .on_own_stream = read.choice("selection_stream", {"compute", "own"}) == "own",
          .error_feedback = read.choice("error_feedback", {"yes", "no"}) == "yes",
          .encoding = encoding_of(read),
          .clustering = part_of(read, "clustering"),
          .host_per_parameter = read.time_or("host_per_parameter", {})};
}

CompressionCosts costs_of(const std::string& schedule, const Workload& workload,
                          const Settings& settings) {
  if (settings.selection == Selection::Free)
    return {.sample = 1, .memory_bandwidth = {std::numeric_limits<double>::infinity()}};
  if (!workload.compression)
    throw InputError(
        fmt::format("{}: what compression costs on {} is not known: expected a file "
                    "traces/hardware/{}-compression.json, or {}=free to leave the cost out",
                    schedule, workload.device, workload.device, settings.cost_option));
  return *workload.compression;
}

std::string convergence_caveat() {
  return "Only time is forecast, not convergence: how many more steps a compressed gradient takes "
         "to the same accuracy is for the user to say.";
}

}  // namespace stepcast::sparse
