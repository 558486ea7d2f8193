#pragma once
// Physical quantities as distinct types, always in SI base units (seconds, bytes, bytes per second,
// multiply-accumulates).
//
// 10GbE is 10e9 *bits* per second: write 10.0_Gbps, never a bare 10e9. Mixing up quantities does
// not compile; at -O2 a quantity costs the same as a double.

#include <compare>

namespace stepcast {

template <class Tag>
struct Quantity {
  double value = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted comparison
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return {a.value * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return {a.value * factor}; }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return {a.value / divisor}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return {size.value / rate.value};
}
constexpr BytesPerSecond operator/(Bytes size, Seconds time) {
  return {size.value / time.value};
}
constexpr Bytes operator*(BytesPerSecond rate, Seconds time) {
  return {rate.value * time.value};
}

namespace literals {
constexpr Seconds operator""_s(long double v) {
  return {static_cast<double>(v)};
}
constexpr Seconds operator""_us(long double v) {
  return {static_cast<double>(v) * 1e-6};
}
constexpr Seconds operator""_ms(long double v) {
  return {static_cast<double>(v) * 1e-3};
}
constexpr Bytes operator""_MiB(long double v) {
  return {static_cast<double>(v) * 1048576.0};
}
constexpr Bytes operator""_KiB(long double v) {
  return {static_cast<double>(v) * 1024.0};
}
constexpr BytesPerSecond operator""_Gbps(long double v) {
  return {static_cast<double>(v) * 1e9 / 8};
}
}  // namespace literals

}  // namespace stepcast
