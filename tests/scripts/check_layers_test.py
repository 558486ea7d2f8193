#!/usr/bin/env python3
"""Tests of scripts/check_layers.py: each rule refuses its fault and lets the neighbour pass."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from check_layers import NAMED_ELSEWHERE, faults_of_file, faults_of_list  # noqa: E402


class CheckLayers(unittest.TestCase):
    def expect_fault(self, name, include, words):
        faults = faults_of_file(name, f"#include {include}\n")
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def expect_none(self, name, include):
        self.assertEqual(faults_of_file(name, f"#include {include}\n"), [])

    def test_an_include_of_a_layer_above_is_a_fault(self):
        self.expect_fault("models/base/text.hpp", '"models/graph/task.hpp"', "a layer above")
        self.expect_none("models/graph/task.hpp", '"models/base/text.hpp"')

    def test_the_tests_of_a_layer_need_nothing_above_it(self):
        self.expect_fault("tests/models/base/text_test.cpp", '"sim/engine/engine.hpp"', "a layer above")
        self.expect_none("tests/models/base/text_test.cpp", '"models/base/text.hpp"')
        self.expect_none("tests/models/base/text_test.cpp", '"tests/support/example.hpp"')
        self.expect_none("tests/bench/engine_bench.cpp", '"sim/cli/version.hpp"')

    def test_a_library_stays_in_its_folder(self):
        self.expect_fault("sim/report/table.cpp", "<simgrid/s4u.hpp>", "only sim/engine")
        self.expect_fault("sim/report/table.cpp", "<CLI/CLI.hpp>", "only sim/cli")
        self.expect_fault("sim/engine/engine.cpp", "<boost/graph/topological_sort.hpp>", "only models/graph")
        self.expect_none("sim/engine/platform.cpp", "<simgrid/s4u.hpp>")

    def test_costly_headers_stay_out_of_headers(self):
        self.expect_fault("traces/json/strict_json.hpp", "<nlohmann/json.hpp>", ".cpp files only")
        self.expect_fault("sim/cli/log.hpp", "<spdlog/spdlog.h>", ".cpp files only")
        self.expect_none("traces/json/strict_json.hpp", "<nlohmann/json_fwd.hpp>")
        self.expect_none("traces/json/strict_json.cpp", "<nlohmann/json.hpp>")

    def test_models_read_no_files(self):
        self.expect_fault("models/workload/workload.cpp", "<fstream>", "no file input and output")
        self.expect_none("traces/json/file.cpp", "<fstream>")

    def test_schedules_know_the_type_and_only_the_list_knows_them(self):
        self.expect_fault("models/schedule/plan.hpp", '"models/schedule/data_parallel/passes.hpp"', "a layer above")
        self.expect_none("models/schedule/kfac/step.hpp", '"models/schedule/plan.hpp"')
        self.expect_fault("models/schedule/kfac/step.cpp", '"models/schedule/list/registry.hpp"', "a layer above")
        self.expect_none("models/schedule/list/registry.cpp", '"models/schedule/decentralised/schedules.hpp"')
        self.expect_none("tests/models/schedule/kfac/step_test.cpp", '"models/schedule/list/registry.hpp"')

    def test_the_probe_needs_no_simulation(self):
        self.expect_fault("sim/probe/results.cpp", '"sim/engine/engine.hpp"', "the probe stands on sim/timeline")
        self.expect_none("sim/probe/results.cpp", '"sim/timeline/chrome_trace.hpp"')
        self.expect_none("tests/sim/probe/results_test.cpp", '"sim/study/validate/hardware_fit.hpp"')

    def test_a_function_has_at_most_45_lines(self):
        def file(head, lines):
            return "namespace stepcast {\n" + head + "\n" + "  if (any) {\n  }\n" * (lines // 2 - 1) + "}\n}\n"
        for head in ("Plan build(int a) {", "Plan Job::build() const {", "TEST(Any, Thing) {", "int all(int a,\n        int b) {"):
            self.assertEqual(faults_of_file("models/base/text.cpp", file(head, 44)), [], head)
            self.assertIn("lines, more than 45", faults_of_file("models/base/text.cpp", file(head, 46))[0])
        self.assertEqual(faults_of_file("models/base/text.cpp", file("const std::vector<int> list = {", 80)), [])

    def test_tests_share_no_helpers_of_a_layer_above(self):
        self.expect_fault("tests/sim/study/sweep_test.cpp", '"tests/sim/cli/run_cli.hpp"', "a layer above")
        self.expect_none("tests/sim/study/sweep_test.cpp", '"tests/support/examples.hpp"')

    def test_a_study_knows_no_command_line(self):
        text = 'throw InputError("{}: out of range");\n'
        self.assertEqual(faults_of_file("sim/study/tune.cpp", text.format("`low`") + "// --low\n"), [])
        self.assertIn("names a flag", faults_of_file("sim/study/tune.cpp", text.format("--low"))[0])
        self.assertEqual(faults_of_file("sim/cli/tune.cpp", text.format("--low")), [])

    def test_what_the_fuzzers_cannot_compile_is_named(self):
        self.assertIn("clang 14", faults_of_file("sim/study/tune.cpp", "std::ranges::unique(own);")[0])
        self.assertEqual(faults_of_file("sim/study/tune.cpp", "std::unique(a, b); std::ranges::unique_copy(own); // std::ranges::unique"), [])

    def test_a_family_of_schedules_is_named_in_its_folder_only(self):
        for code in ['if (name == "horovod") {}', "kfac::Step step;", "sparse::Step step;", 'run("ok-topk");',
                     "const KfacPart part{};", 'if (name == "zero") {}']:
            self.assertIn("of that family", faults_of_file("sim/engine/engine.cpp", code)[0], code)
        for code in ["// as Horovod does", '"above zero"', "const bool okay = topk(3);", "float kFactor = 2;", 'names("d-psgd");']:
            self.assertEqual(faults_of_file("sim/engine/engine.cpp", code), [], code)
        self.assertEqual(faults_of_file("models/schedule/kfac/step.cpp", "kfac::Step step;"), [])
        self.assertEqual(faults_of_file("tests/sim/engine/kfac_test.cpp", "kfac::Step step;"), [])
        self.assertEqual(faults_of_file("sim/cli/commands/run_command.cpp", '"--schedule dear"'), [])

    def test_what_is_named_elsewhere_no_more_leaves_the_list(self):
        needed = {entry + "x.cpp" if entry.endswith("/") else entry: 'run("horovod kfac");' for entry in NAMED_ELSEWHERE}
        self.assertEqual(faults_of_list(needed), [])
        first = next(iter(needed))
        self.assertIn("strike it", faults_of_list({**needed, first: ""})[0])

    def test_a_new_folder_must_be_given_a_layer(self):
        self.assertIn("is in no layer", faults_of_file("models/power/watts.hpp", "")[0])
        self.expect_fault("sim/engine/engine.cpp", '"models/power/watts.hpp"', "in no layer")


if __name__ == "__main__":
    unittest.main()
