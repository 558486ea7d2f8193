#include "traces/readers/stepcast/transformers/training_law_reader.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

constexpr std::array kPrecisions{"fp32", "fp16", "bf16", "fp8"};

FlopsPerSecond tflops(ObjectReader& reader, std::string_view key) {
  const double rate = reader.number(key, 0);
  if (rate <= 0)
    reader.fail(key, "expected a number above 0, found 0");
  return {rate * 1e12};
}

double part(ObjectReader& reader, std::string_view key) {
  const double value = reader.number_or(key, 0, 1);
  if (value <= 0 || value > 1)
    reader.fail(key, "expected a number above 0 and at most 1");
  return value;
}

GemmLaw read_products(ObjectReader reader) {
  const GemmLaw law{.launch = reader.time_text("launch"),
                    .peak = tflops(reader, "peak_tflops"),
                    .bandwidth = reader.bandwidth_text("bandwidth"),
                    .slots = reader.number("slots", 1),
                    .tile_overhead = reader.number("tile_overhead", 0),
                    .block = reader.time_text("block"),
                    .split = reader.time_text("split"),
                    .least_part = reader.number("least_part", 1),
                    .misaligned = part(reader, "misaligned"),
                    .quantisation = reader.number("quantisation", 0)};
  reader.finish();
  return law;
}

std::map<std::string, FlopsPerSecond> read_peaks(ObjectReader reader) {
  std::map<std::string, FlopsPerSecond> peaks;
  for (const char* precision : kPrecisions)
    if (reader.has(precision))
      peaks[precision] = tflops(reader, precision);
  reader.finish();
  return peaks;
}

void read_own(ObjectReader& law, TrainingLaw& read) {
  ObjectReader products = law.object("products");
  for (const char* precision : kPrecisions)
    if (products.has(precision))
      read.products[precision] = read_products(products.object(precision));
  products.finish();
  read.flash_forward = tflops(law, "flash_forward_tflops");
  read.flash_backward = tflops(law, "flash_backward_tflops");
  read.elementwise = law.bandwidth_text("elementwise");
  read.kernel = law.time_text("kernel");
  read.off_sector = part(law, "off_sector");
}

}  // namespace

WrittenLaw read_law(ObjectReader law) {
  WrittenLaw written{.like = law.text_or("like", "")};
  if (law.has("like") && written.like.empty())
    law.fail("like", "expected the name of a device, found \"\"");
  TrainingLaw& read = written.law;
  read.peak = read_peaks(law.object("peak_tflops"));
  read.provenance = read_provenance(law.object("provenance"));
  if (written.like.empty())
    read_own(law, read);
  law.finish();
  return written;
}

}  // namespace stepcast
