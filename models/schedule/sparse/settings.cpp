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
      number_option("density", defaults.density,
                    "selected part of the gradient, above 0 and at most 1",
                    {.most = 1, .above_least = true}),
      choice_option(
          "selection", defaults.selection,
          "exact (sorted top-k), search (MSTopK), sampled (DGC), fitted (SIDCo), or free: "
          "compression costs nothing",
          {"exact", "search", "sampled", "fitted", "free"}),
      choice_option("selection_stream", "compute",
                    "compute: selection delays the backward pass; own: it runs beside it and slows "
                    "nothing (a bound)",
                    {"compute", "own"}),
      choice_option("error_feedback", "yes",
                    "yes or no: what is not sent is kept and added to the next gradient",
                    {"yes", "no"}),
      number_option("clustering", "0", "0: the ranks select independently, 1: all the same entries",
                    {.most = 1}),
  };
}

std::vector<OptionInfo> message_options() {
  return {
      choice_option("value", "fp32", "type of a sent value: fp32, fp16", {"fp32", "fp16"}),
      choice_option("index", "int32", "where values belong: int32 each, or a bitmap of the tensor",
                    {"int32", "bitmap"})};
}

std::vector<OptionInfo> fusion_options(const Defaults& defaults) {
  if (defaults.fusion.empty())
    return {};
  return {
      choice_option(
          "fusion", defaults.fusion,
          "what is compressed together: layer, buffer, model, or binary (a buffer found by "
          "binary search as TopKA2A's authors do)",
          fusion_words(), fusion_search()),
      size_option("fusion_buffer", "25MiB",
                  "fusion=buffer: a group of gradients closes at this size"),
  };
}

OptionInfo host_option() {
  return time_option("host_per_parameter", "0us",
                     "host work for every parameter and step, on the compute stream, e.g. 60ns");
}

}  // namespace

std::vector<std::string> fusion_words() {
  return {"layer", "buffer", "model", "binary"};
}

OptionSearch fusion_search() {
  return {.word = "binary", .option = "fusion_buffer", .found = "buffer"};
}

Bytes size_of_values(const Encoding& encoding, double entries) {
  return encoding.value * entries;
}

Bytes size_of_indices(const Encoding& encoding, double entries, double elements) {
  return encoding.bitmap ? Bytes{elements / 8} : encoding.index * entries;
}

std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, const Defaults& defaults) {
  for (auto&& group :
       {selection_options(defaults), message_options(), fusion_options(defaults), {host_option()}})
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

Note convergence_caveat() {
  return {NoteKind::Scope, "convergence",
          "Only time is forecast, not convergence: how many more steps a compressed gradient takes "
          "to the same accuracy is for the user to say."};
}

}  // namespace stepcast::sparse
