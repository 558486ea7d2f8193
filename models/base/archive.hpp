#pragma once
// The way back from bytes_of(): values between processes of this program.

#include <cassert>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.hpp"

namespace stepcast {

/// Takes what bytes_of() wrote, in the same order.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void read(T& value) {
    if constexpr (HasFields<T>)
      for_each_field(value, [this](auto& field) { this->read(field); });
    else
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }

  void read(std::string& text) { text = take(size()); }

  template <class Item>
  void read(std::vector<Item>& items) {
    items.resize(size());
    for (Item& item : items)
      read(item);
  }

  template <class Value>
  void read(std::map<std::string, Value>& values) {
    for (std::size_t count = size(); count > 0; --count) {
      std::string name;
      read(name);
      read(values[name]);
    }
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::size_t size() {
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

/// The value whose bytes_of() `bytes` are. Precondition: this program wrote them.
template <class T>
T from_bytes(std::string_view bytes) {
  ArchiveReader reader(bytes);
  T value{};
  reader.read(value);
  assert(reader.at_end());
  return value;
}

}  // namespace stepcast
