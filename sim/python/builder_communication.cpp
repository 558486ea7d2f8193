#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/text.hpp"
#include "sim/python/builder_verbs.hpp"

// The verbs of communication: one function of a label, a size and named arguments, which checks
// each of these before the Builder, that trusts its callers, gets them.

namespace stepcast {

namespace py = pybind11;

namespace {

using Ids = OpenBuilder::Ids;
using Verb = TaskId (Builder::*)(std::string, Bytes, const CommunicationOptions&);

/// Takes one argument of a communication verb; false for a name that is none.
bool take(CommunicationOptions& options, const OpenBuilder& self, const std::string& name,
          const py::object& value) {
  if (name == "stream")
    options.stream = self.stream(value.cast<std::int64_t>());
  else if (name == "team")
    options.team = self.team(value.cast<std::int64_t>());
  else if (name == "root")
    options.root = self.count(value.cast<std::int64_t>(), 0, "root");
  else if (name == "priority")
    options.priority = value.cast<std::int32_t>();
  else if (name == "overhead")
    options.overhead = self.time(value, "overhead");
  else if (name == "fusable")
    options.fusable = value.cast<bool>();
  else if (name == "phase")
    options.phase = value.cast<std::string>();
  else if (name == "after")
    options.after = self.tasks(value.cast<Ids>());
  else if (name == "next_after")
    options.next_after = self.tasks(value.cast<Ids>());
  else if (name == "algorithm" && !value.is_none())
    options.algorithm = find_algorithm(value.cast<std::string>());
  else
    return name == "algorithm";
  return true;
}

TaskId communicate(OpenBuilder& self, Verb verb, std::string label, const py::object& size,
                   const py::kwargs& given) {
  Builder& builder = self.open();
  CommunicationOptions options{.stream = kNone};
  for (const auto& [key, value] : given)
    if (!take(options, self, key.cast<std::string>(), py::reinterpret_borrow<py::object>(value)))
      throw py::type_error(
          fmt::format("{}: there is no argument {}", label, in_quotes(key.cast<std::string>())));
  if (options.stream == kNone)
    options.stream = self.stream(1);
  if (options.root >= self.team_size(options.team))
    self.fail(fmt::format("{}: root {}: the group has {} ranks", label, options.root,
                          self.team_size(options.team)));
  return self.added((builder.*verb)(std::move(label), self.size(size, "size"), options));
}

void require_algorithm(const OpenBuilder& self, CollectiveKind kind, const py::kwargs& given) {
  if (!given.contains("algorithm") || given["algorithm"].is_none())
    return;
  const auto name = given["algorithm"].cast<std::string>();
  const std::vector<std::string> known = algorithms_of(kind);
  if (std::ranges::find(known, name) == known.end())
    self.fail(fmt::format("algorithm: expected one of {}, found {}", fmt::join(known, ", "),
                          in_quotes(name)));
}

}  // namespace

void add_communication(BuilderClass& builder) {
  struct Named {
    const char* name;
    CollectiveKind kind;
    Verb verb;
  };
  for (const Named each :
       {Named{"all_reduce", CollectiveKind::AllReduce, &Builder::all_reduce},
        {"reduce_scatter", CollectiveKind::ReduceScatter, &Builder::reduce_scatter},
        {"all_gather", CollectiveKind::AllGather, &Builder::all_gather},
        {"all_to_all", CollectiveKind::AllToAll, &Builder::all_to_all},
        {"broadcast", CollectiveKind::Broadcast, &Builder::broadcast},
        {"reduce", CollectiveKind::Reduce, &Builder::reduce},
        {"send", CollectiveKind::Send, &Builder::send}})
    builder.def(
        each.name,
        [each](OpenBuilder& self, std::string label, const py::object& size,
               const py::kwargs& given) {
          require_algorithm(self, each.kind, given);
          return communicate(self, each.verb, std::move(label), size, given);
        },
        py::arg("label"), py::arg("size"));
}

}  // namespace stepcast
