#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "models/base/text.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {
namespace {

/// Returns a name without arguments: "AllGather_RING(...)" becomes "allgatherring".
std::string bare(std::string_view name) {
  return letters_and_digits(name.substr(0, name.find('(')));
}

}  // namespace

std::optional<CollectiveKind> collective_kind_of(std::string_view name) {
  // "reduce" last: it is part of "allreduce" and "reducescatter".
  static const std::array<std::pair<std::string_view, CollectiveKind>, 10> kinds = {
      {{"hcomsend", CollectiveKind::Send},
       {"hcomreceive", CollectiveKind::Send},
       {"allreduce", CollectiveKind::AllReduce},
       {"reducescatter", CollectiveKind::ReduceScatter},
       {"allgather", CollectiveKind::AllGather},
       {"alltoall", CollectiveKind::AllToAll},
       {"sendrecv", CollectiveKind::AllToAll},
       {"broadcast", CollectiveKind::Broadcast},
       {"bcast", CollectiveKind::Broadcast},
       {"reduce", CollectiveKind::Reduce}}};
  const std::string letters = bare(name);
  for (const auto& [word, kind] : kinds)
    if (letters.find(word) != std::string::npos)
      return kind;
  return std::nullopt;
}

std::optional<CollectiveKind> collective_kind_by_argument(std::string_view name) {
  if (sends(name) || receives(name))
    return CollectiveKind::Send;
  return collective_kind_of(name);
}

bool reduces(std::optional<CollectiveKind> kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter;
}

bool ends_together(CollectiveKind kind) {
  return reduces(kind) || kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll;
}

bool sends(std::string_view collective) {
  const std::string letters = bare(collective);
  return letters == "send" || letters == "isend";
}

bool receives(std::string_view collective) {
  const std::string letters = bare(collective);
  return letters == "recv" || letters == "irecv";
}

bool is_collective_kernel(std::string_view name) {
  constexpr std::array<std::string_view, 8> kLibraries = {"nccl",  "NCCL", "rccl", "RCCL",
                                                          "hcom_", "hccl", "Hccl", "oneccl"};
  const std::string_view front = name.substr(0, name.find('('));
  return std::ranges::any_of(kLibraries, [&](std::string_view library) {
    return front.find(library) != std::string_view::npos;
  });
}

std::uint32_t element_size(std::string_view dtype) {
  static const std::array<std::pair<std::string_view, std::uint32_t>, 17> sizes = {{
      {"float", 4},
      {"double", 8},
      {"half", 2},
      {"bfloat16", 2},
      {"long", 8},
      {"int", 4},
      {"short", 2},
      {"char", 1},
      {"byte", 1},
      {"bool", 1},
      {"int64", 8},
      {"int32", 4},
      {"float16", 2},
      {"float32", 4},
      {"float64", 8},
      {"uint8", 1},
      {"int8", 1},
  }};
  std::string name = bare(dtype.starts_with("c10::") ? dtype.substr(5) : dtype);
  if (name.starts_with("float8"))
    return 1;
  const auto* const found =
      std::ranges::find(sizes, name, [](const auto& entry) { return entry.first; });
  return found == sizes.end() ? 0 : found->second;
}

}  // namespace stepcast
