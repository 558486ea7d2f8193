#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace stepcast {

/// A list of values for each index: the lists stand end to end in one array (compressed sparse
/// rows), which costs four bytes an index beside the values.
template <typename Value = std::uint32_t>
class CompressedRows {
 public:
  CompressedRows() = default;

  /// `for_each(add)` calls add(index, value) for each value and is called twice, once to count. A
  /// row keeps the order of these calls.
  template <typename ForEach>
  CompressedRows(std::size_t count, ForEach for_each) : begin_(count + 1) {
    for_each([&](std::uint32_t index, const Value&) { ++begin_[index + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    values_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](std::uint32_t index, const Value& value) { values_[next[index]++] = value; });
  }

  std::size_t size() const { return begin_.size() - 1; }
  std::span<const Value> of(std::uint32_t index) const {
    return std::span(values_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<Value> values_;
};

}  // namespace stepcast
