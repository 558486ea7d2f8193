#include "traces/readers/archive.hpp"

#include <array>

namespace stepcast {
namespace {

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view advice;
};

constexpr std::array<Magic, 6> kMagics = {{
    {257, "ustar", "is a tar archive: unpack it first (tar -xf) and give the trace in it"},
    {0, "PK\x03\x04", "is a zip archive: unpack it first (unzip) and give the trace in it"},
    {0,
     "\xFD"
     "7zXZ",
     "is compressed with xz: unpack it first (unxz); gzip is read as it is"},
    {0, "\x28\xB5\x2F\xFD",
     "is compressed with zstd: unpack it first (unzstd); gzip is read as it is"},
    {0, "BZh", "is compressed with bzip2: unpack it first (bunzip2); gzip is read as it is"},
    {0, "7z\xBC\xAF", "is a 7z archive: unpack it first (7z x) and give the trace in it"},
}};

}  // namespace

std::string_view archive_advice(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.size() > magic.offset && head.substr(magic.offset).starts_with(magic.bytes))
      return magic.advice;
  return {};
}

}  // namespace stepcast
