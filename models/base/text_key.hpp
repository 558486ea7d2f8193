#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "models/base/mix.hpp"

namespace stepcast {

/// Hashes a text that is given piece by piece. text() is 16 hexadecimal digits; two different texts
/// have the same with a chance of 2^-64.
class TextKey {
 public:
  void add(std::string_view text) {
    for (const char c : text)
      hash_ = mixed(hash_, static_cast<unsigned char>(c));
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 1;
};

inline std::string key_of_text(std::string_view text) {
  TextKey key;
  key.add(text);
  return key.text();
}

}  // namespace stepcast
