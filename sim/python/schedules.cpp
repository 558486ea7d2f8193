#include <memory>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/python/module.hpp"
#include "sim/python/one_call.hpp"
#include "sim/python/open_builder.hpp"

// Schedules written in Python: a function that is called with an OpenBuilder and the values of its
// options, behind the same table of options and in the same registry as those written in C++.

namespace stepcast {
namespace {

namespace py = pybind11;

/// A function of Python that outlives the GIL: copied and destroyed by threads that do not hold it.
using SharedFunction = std::shared_ptr<py::object>;

/// What the registry still holds when the program ends goes with it: there is no Python left whose
/// lock could be waited for.
void let_go(py::object* function) {
  if (!Py_IsInitialized())
    return;
  const py::gil_scoped_acquire gil;
  delete function;
}

SharedFunction shared(py::object function) {
  return SharedFunction(new py::object(std::move(function)), let_go);
}

OptionKind kind_of(const std::string& name) {
  for (const OptionKind kind :
       {OptionKind::Choice, OptionKind::Size, OptionKind::Time, OptionKind::Count,
        OptionKind::Number, OptionKind::Series, OptionKind::Text})
    if (name == name_of(kind))
      return kind;
  throw InputError(
      "kind of an option: expected choice, size, time, count, number, series or text, found " +
      in_quotes(name));
}

OptionInfo option_of(const py::dict& told) {
  OptionInfo option{.name = told["name"].cast<std::string>(),
                    .default_value = told["default"].cast<std::string>(),
                    .meaning = told["meaning"].cast<std::string>(),
                    .kind = kind_of(told["kind"].cast<std::string>()),
                    .words = told["words"].cast<std::vector<std::string>>()};
  check_option(option, option.default_value);
  return option;
}

/// The values in force as Python takes them: bytes and seconds as numbers, choices as words.
py::dict values_of(const OptionReader& read, const std::vector<OptionInfo>& options) {
  py::dict values;
  for (const OptionInfo& option : options) {
    const py::str name(option.name);
    if (option.kind == OptionKind::Choice || option.kind == OptionKind::Text)
      values[name] = read.text(option.name);
    else if (option.kind == OptionKind::Count)
      values[name] = read.count(option.name);
    else if (option.kind == OptionKind::Series)
      values[name] = read.series(option.name);
    else
      values[name] = read.number(option.name);
  }
  return values;
}

Plan build_by(const SharedFunction& function, const std::vector<OptionInfo>& options,
              const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  const py::gil_scoped_acquire gil;
  const auto open = std::make_shared<OpenBuilder>(builder, read.schedule());
  struct Closed {
    OpenBuilder& builder;
    ~Closed() { builder.close(); }
  } const closed{*open};
  (*function)(open, **values_of(read, options));
  return std::move(builder).build();
}

void add_schedule_of(const std::string& name, const std::string& summary, const py::list& told,
                     py::object function) {
  std::vector<OptionInfo> options;
  for (const py::handle each : told)
    options.push_back(option_of(each.cast<py::dict>()));
  const OneCall turn;
  let_workers_call_python();
  add_schedule(
      {.name = name,
       .summary = summary,
       .source = "written in Python",
       .options = options,
       .build = [function = shared(std::move(function)), options](
                    const Workload& workload, const Cluster& cluster, const OptionReader& read) {
         return build_by(function, options, workload, cluster, read);
       }});
}

}  // namespace

void add_schedules(py::module_& module) {
  module.def("add_schedule", add_schedule_of, py::arg("name"), py::arg("summary"),
             py::arg("options"), py::arg("function"));
}

}  // namespace stepcast
