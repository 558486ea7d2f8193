#include "sim/report/page/policy_hash.hpp"

// libmd is a part of every Debian system (dpkg needs it); its header may be missing.
#if __has_include(<sha256.h>)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <sha256.h>
#include <sys/types.h>

namespace stepcast {
namespace {

using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

/// RFC 4648: three bytes are four letters, and "=" fills up the last four.
std::string base64(const Digest& bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (j < count ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= count ? kLetters[three >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string policy_hash(std::string_view text) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  Digest digest{};
  SHA256_Final(digest.data(), &context);
  return "'sha256-" + base64(digest) + "'";
}

}  // namespace stepcast
#else
namespace stepcast {

std::string policy_hash(std::string_view /*text*/) {
  return "'unsafe-inline'";
}

}  // namespace stepcast
#endif
