#include "sim/study/forecast_archive.hpp"

#include <cassert>
#include <cstring>

#include "models/base/fields.hpp"

namespace stepcast {
namespace {

/// Takes what bytes_of() wrote, in the same order.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void read(T& value) {
    if constexpr (HasFields<T>)
      for_each_field(value, [this](auto& field) { read(field); });
    else
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }

  void read(std::string& text) { text = take(read_size()); }

  template <class Item>
  void read(std::vector<Item>& items) {
    items.resize(read_size());
    for (Item& item : items)
      read(item);
  }

  void read(ScheduleOptions& options) {
    for (std::size_t count = read_size(); count > 0; --count) {
      std::string name;
      read(name);
      read(options[name]);
    }
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::size_t read_size() {
    std::size_t size = 0;
    read(size);
    return size;
  }

  std::string_view take(std::size_t size) {
    assert(size <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace

std::string to_bytes(const Forecast& forecast) {
  return bytes_of(forecast);
}

Forecast forecast_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  Forecast forecast;
  reader.read(forecast);
  assert(reader.at_end());
  return forecast;
}

}  // namespace stepcast
