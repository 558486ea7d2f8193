#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stepcast {

/// The keys of one config.json, as counts and words. Families name the same size by other keys:
/// where names are several, the first that the file has counts. Every error is an InputError
/// "config.json: /hidden_size: ...".
class ConfigKeys {
 public:
  using Names = std::initializer_list<const char*>;

  /// `json` must outlive the keys; `pointer` is where it lies in the file ("" for the root).
  ConfigKeys(const nlohmann::json& json, std::string origin, std::string pointer = "");

  bool has(const char* key) const;
  /// Whether one of the keys is there and is not null.
  bool has(Names names) const { return find(names) != nullptr; }
  /// A whole number. Lists of one number repeated ([2, 2, 2], a value for each layer) count as that
  /// number. Throws where no key is there.
  std::uint32_t count(Names names, std::uint32_t least = 1) const;
  std::uint32_t count_or(Names names, std::uint32_t fallback, std::uint32_t least = 1) const;
  /// A whole number that may be below zero, as an index that counts from the end.
  std::int64_t index_or(const char* key, std::int64_t fallback) const;
  /// Entries of an object or a list; 0: there is none.
  std::size_t entries(const char* key) const;
  bool flag_or(const char* key, bool fallback) const;
  bool is_text(const char* key) const;
  std::string text_or(const char* key, std::string fallback) const;
  /// The first word of a list of words; empty: there is none.
  std::string first_text(const char* key) const;
  /// The object under a key, empty where there is none.
  ConfigKeys object(const char* key) const;
  /// A size that a key multiplies. Throws, naming the key, where it is larger than a size can be.
  std::uint32_t product(const char* key, std::uint64_t left, std::uint64_t right) const;
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;

 private:
  const char* find(Names names) const;

  const nlohmann::json& json_;
  std::string origin_;
  std::string pointer_;
};

}  // namespace stepcast
