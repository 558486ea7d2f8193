#include "sim/python/module.hpp"

#include <cstdlib>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "sim/engine/interruption.hpp"
#include "sim/python/call.hpp"
#include "sim/python/one_call.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/fields/step_parts.hpp"
#include "sim/report/picture/colours.hpp"
#include "sim/workers/stop.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/json/strict_json.hpp"

// The module's core, stepcast._core: the commands as functions of texts. What is pleasant about the
// package is written in Python beside this, in sim/python/stepcast.

namespace stepcast {
namespace {

namespace py = pybind11;

/// How Python says what a value of the option is.
std::string type_of(const OptionTarget& target) {
  struct Name {
    std::string operator()(bool*) const { return "bool"; }
    std::string operator()(std::string*) const { return "str"; }
    std::string operator()(std::optional<std::uint32_t>*) const { return "int"; }
    std::string operator()(std::optional<double>*) const { return "float"; }
    std::string operator()(std::optional<Seconds>*) const { return "time"; }
    std::string operator()(std::optional<Bytes>*) const { return "size"; }
    std::string operator()(std::optional<BytesPerSecond>*) const { return "bandwidth"; }
    std::string operator()(std::vector<std::string>*) const { return "texts"; }
    std::string operator()(CommaList*) const { return "names"; }
    std::string operator()(std::vector<std::uint32_t>*) const { return "ints"; }
    std::string operator()(std::vector<Bytes>*) const { return "sizes"; }
  };
  return std::visit(Name{}, target);
}

py::dict described(Subcommand& command) {
  const CommandHelp help = command.help();
  py::list options;
  for (const CommandOption& option : command.options())
    options.append(py::dict(py::arg("name") = option.name, py::arg("value") = option.value,
                            py::arg("type") = type_of(option.target),
                            py::arg("meaning") = option.meaning,
                            py::arg("is_output") = option.is_output));
  return py::dict(py::arg("name") = command.listed.name,
                  py::arg("summary") = command.listed.summary,
                  py::arg("description") = help.description, py::arg("examples") = help.examples,
                  py::arg("options") = options);
}

/// The keys of a forecast that are columns of a table in a notebook.
py::list columns() {
  py::list keys;
  for (const ForecastField* field : fields_shown(View::Notebook))
    keys.append(field->key);
  return keys;
}

/// The parts of a step by their keys, and the colours of kinds of work, as figures draw them.
void add_pictures(py::module_& module) {
  py::dict parts;
  for (const StepPart& part : step_parts())
    parts[part.key] = part.name;
  py::dict colours;
  for (const KindColour& known : kWorkColours)
    colours[py::str(std::string(known.kind))] = known.colour;
  module.attr("step_parts") = parts;
  module.attr("colours") = colours;
  module.attr("palette") = std::vector<std::string>(kPalette.begin(), kPalette.end());
}

py::list commands() {
  py::list all;
  for (const std::unique_ptr<Subcommand>& command : all_subcommands())
    all.append(described(*command));
  return all;
}

/// (exit code, standard output, standard error, descriptor of a file) of a command. What is too
/// long to be held is in the file, which is the caller's; without it None.
py::tuple call(const std::string& name, const std::vector<GivenOption>& given,
               const std::map<std::string, std::string>& texts, bool foreign) {
  CallResult result;
  {
    const OneCall turn;
    const py::gil_scoped_release released;
    result = call_command(name, given, texts, foreign);
  }
  if (PyErr_CheckSignals() != 0)  // a study that Ctrl-C stopped has ended as if it were done
    throw py::error_already_set();
  const bool is_long = result.said_at_length.is_in_file();
  const py::object file =
      is_long ? py::object(py::int_(result.said_at_length.release())) : py::none();
  return py::make_tuple(result.exit_code, result.said, result.told, file);
}

/// The text of a cluster's file, or what that of a cluster without a file would be.
std::string cluster_text(const std::string& name) {
  Cluster cluster = load_cluster(name);
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  if (is_path || !find_ideal_cluster(name))
    return read_text_file(find_cluster(name));
  cluster.device.name = "any";  // a file must name one
  return to_json_text(cluster);
}

std::string workload_text(const std::string& name) {
  const Workload workload = load_workload(name);
  return name.find(':') != std::string::npos ? to_json_text(workload)
                                             : read_text_file(find_workload(name));
}

template <class Error>
void raise_as(const char* name, const Error& error) {
  const py::object type = py::module_::import("stepcast._errors").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

/// What Python's own handler of the signal raises.
void raise_interrupt() {
  if (PyErr_CheckSignals() == 0)
    PyErr_SetNone(PyExc_KeyboardInterrupt);
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown)
      std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise_as("InputError", error);
  } catch (const SimulationError& error) {
    raise_as("SimulationError", error);
  } catch (const Interrupted&) {
    raise_interrupt();
  } catch (const Stopped&) {
    raise_interrupt();
  }
}

}  // namespace
}  // namespace stepcast

PYBIND11_MODULE(_core, module) {
  using namespace stepcast;
  py::register_exception_translator(translate);
  prepare_for_forks();
  module.attr("version") = STEPCAST_VERSION;
  module.attr("columns") = columns();
  add_pictures(module);
  module.def("commands", commands);
  module.def("call", call, py::arg("name"), py::arg("given"), py::arg("texts"),
             py::arg("foreign") = false);
  module.def("set_data_root", [](const std::string& folder) { set_data_root(folder); });
  module.def("write_text",
             [](const std::string& path, const std::string& text) { write_text_file(path, text); });
  module.def("cluster_text", cluster_text);
  module.def("workload_text", workload_text);
  module.def("check_cluster", [](const std::string& text, const std::string& origin) {
    parse_cluster(text, origin);
  });
  module.def("check_workload", [](const std::string& text, const std::string& origin) {
    parse_workload(text, origin);
  });
  add_builder(module);
  add_schedules(module);
}
