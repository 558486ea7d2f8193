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
  if (read.is("value", "fp16"))
    encoding.value = {2};
  encoding.bitmap = read.is("index", "bitmap");
  return encoding;
}

std::vector<OptionInfo> selection_options(const Defaults& defaults) {
  return {
      {.name = "density",
       .default_value = defaults.density,
       .meaning = "selected part of the gradient, above 0 and at most 1",
       .kind = OptionKind::Number,
       .range = {.most = 1, .above_least = true}},
      {.name = "selection",
       .default_value = defaults.selection,
       .meaning = "exact (sorted top-k), search (MSTopK), sampled (DGC), fitted (SIDCo), or free: "
                  "compression costs nothing",
       .words = {"exact", "search", "sampled", "fitted", "free"}},
      {.name = "selection_stream",
       .default_value = "compute",
       .meaning = "compute: selection delays the backward pass; own: it runs beside it and slows "
                  "nothing (a bound)",
       .words = {"compute", "own"}},
      {.name = "error_feedback",
       .default_value = "yes",
       .meaning = "yes or no: what is not sent is kept and added to the next gradient",
       .words = {"yes", "no"}},
      {.name = "clustering",
       .default_value = "0",
       .meaning = "0: the ranks select independently, 1: all the same entries",
       .kind = OptionKind::Number,
       .range = {.most = 1}},
  };
}

std::vector<OptionInfo> message_options(const Defaults& defaults) {
  return {
      {.name = "value",
       .default_value = "fp32",
       .meaning = "type of a sent value: fp32, fp16",
       .words = {"fp32", "fp16"}},
      {.name = "index",
       .default_value = "int32",
       .meaning = "where values belong: int32 each, or a bitmap of the tensor",
       .words = {"int32", "bitmap"}},
      {.name = "fusion",
       .default_value = defaults.fusion,
       .meaning = "what is compressed together: layer, buffer, model, or binary (a buffer found by "
                  "binary search as TopKA2A's authors do)",
       .words = fusion_words(),
       .search = fusion_search()},
      {.name = "fusion_buffer",
       .default_value = "25MiB",
       .meaning = "fusion=buffer: a group of gradients closes at this size",
       .kind = OptionKind::Size},
      {.name = "host_per_parameter",
       .default_value = "0us",
       .meaning = "host work for every parameter and step, on the compute stream, e.g. 60ns",
       .kind = OptionKind::Time},
  };
}

}  // namespace

std::vector<std::string> fusion_words() {
  return {"layer", "buffer", "model", "binary"};
}

OptionSearch fusion_search() {
  return {.word = "binary", .option = "fusion_buffer"};
}

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

Settings settings_of(const OptionReader& read) {
  return {.density = read.number("density"),
          .selection = selection_of(read),
          .on_own_stream = read.is("selection_stream", "own"),
          .error_feedback = read.is("error_feedback", "yes"),
          .encoding = encoding_of(read),
          .clustering = read.number("clustering"),
          .host_per_parameter = read.time("host_per_parameter")};
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
