#!/usr/bin/env python3
"""Tests of scripts/batches: sources whose names would meet in one batch come into different ones."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BATCHES = pathlib.Path(__file__).parents[2] / "scripts/batches"


def output(files, size=16):
    """What the script prints for the .cpp among the files {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).write_text(text, encoding="utf-8")
        lines = "".join(f"all {root / name}\n" for name in files if name.endswith(".cpp"))
        return subprocess.run([sys.executable, BATCHES, f"--size={size}", root], input=lines, capture_output=True, text=True,
                              check=True).stdout


def batches(files, size=16):
    """The batches of the .cpp among the files {name: text}, as a list of lists of names."""
    found = {}
    for line in output(files, size).splitlines():
        if line.startswith("set_property"):
            found.setdefault(line.split()[-1], []).append(pathlib.Path(line.split('"')[1]).name)
    return list(found.values())


def renamed(files):
    """Names that are given the number of their source."""
    return re.findall(r"^#define (\w+) STEPCAST_OWN", output(files), re.M)


def own(code):
    return f"namespace stepcast {{\nnamespace {{\n{code}\n}}  // namespace\n}}  // namespace stepcast\n"


class Batches(unittest.TestCase):
    def expect_together(self, one, other, **headers):
        files = {"a.cpp": one, "b.cpp": other, **{f"{name}.hpp": text for name, text in headers.items()}}
        self.assertEqual(batches(files), [["a.cpp", "b.cpp"]])

    def expect_apart(self, one, other, **headers):
        files = {"a.cpp": one, "b.cpp": other, **{f"{name}.hpp": text for name, text in headers.items()}}
        self.assertEqual(batches(files), [["a.cpp"], ["b.cpp"]])

    def test_sources_without_a_common_name_are_one_batch(self):
        self.expect_together(own("int one() { int x = 1; return x; }"), own("int two() { int x = 2; return x; }"))

    def test_a_batch_has_no_more_sources_than_told(self):
        self.assertEqual(batches({f"{i}.cpp": own(f"int f{i}();") for i in range(5)}, size=2),
                         [["0.cpp", "1.cpp"], ["2.cpp", "3.cpp"], ["4.cpp"]])

    def test_every_kind_of_name_of_its_own_is_seen(self):
        for code in ("double name() {\n  return a + b;\n}", "constexpr int name = 3;", "struct name { int x; };",
                     "enum class name { A };", "const char* const name[] = {\"x\"};", "using name = std::vector<int>;",
                     "template <class T, class U>\nvoid name(T t) { if (t) { } }", "thread_local std::vector<int> name;",
                     "const Map name{{\"a\", {1, 2}}};", "name_type x();\nclass name final : public Base {\n};"):
            self.expect_apart(own(code), own("bool name() { return true; }"))

    def test_static_functions_are_of_a_sources_own(self):
        self.expect_apart("static int name() { return 1; }\n", own("int name();"))

    def test_names_inside_braces_comments_and_strings_are_none(self):
        one = own("// int name();\nint one(int name = 1'000) { auto text = R\"(} int name();)\"; int name2; return name; }")
        self.expect_together(one, own("int name();"))

    def test_equal_aliases_may_meet_and_others_not(self):
        self.expect_together(own("namespace fs = std::filesystem;"), own("namespace fs = std::filesystem;"))
        self.expect_together("using nlohmann::json;\n", own("using nlohmann::json;"))
        self.expect_apart(own("using Names = std::vector<int>;"), own("using Names = std::set<int>;"))

    def test_a_name_of_its_own_keeps_away_from_headers_of_others(self):
        header = "namespace stepcast {\nstruct Row {\n  int x;\n};\n}  // namespace stepcast\n"
        includes = '#include "inner.hpp"\n'
        self.expect_apart(own("struct Row {};"), '#include "row.hpp"\n', row=includes, inner=header)
        self.expect_together(own("struct Rows {};"), '#include "row.hpp"\n', row=includes, inner=header)

    def test_a_source_may_add_to_the_names_of_its_headers(self):
        both = '#include "row.hpp"\n' + own("int of(Row row);")
        self.expect_together(both, '#include "row.hpp"\n', row="namespace stepcast {\nint of(int);\n}\n")

    def test_all_names_of_a_declaration_are_seen(self):
        self.expect_apart(own("constexpr double first = 1, name = 2;"), own("int name();"))

    def test_unusual_names_that_no_header_knows_are_renamed(self):
        for name in ("error_of", "kExample"):
            one, other = own(f"int {name}(int x);\nint one() {{ return {name}(1); }}"), own(f"bool {name}();")
            files = {"a.cpp": one, "b.cpp": other}
            self.assertEqual(renamed(files), [name])
            self.expect_together(one, other)
            self.assertEqual(renamed({"a.cpp": one, "c.cpp": own("int two();")}), [])

    def test_names_that_others_may_know_are_not(self):
        for code in ("int use(Row row) { return row.error_of; }", "int use() { return lib::error_of(); }"):
            one = own("int error_of();\n" + code)
            self.expect_apart(one, own("int error_of();"))
        self.expect_apart('#include "row.hpp"\n' + own("int error_of();"), own("int error_of();"),
                          row="struct Row { int error_of; };\n")
        self.expect_apart(own("int usual();"), own("int usual();"))
        self.expect_apart(own("using a_b = int;"), own("using a_b = char;"))

    def test_functions_whose_parameters_differ_are_overloads(self):
        one = own("int name(const Row& row, int);")
        for code in ("int name();", "int name(int);", "int name(Row row);", "int name(const std::string& row, int x);"):
            self.expect_together(one, own(code))
        for code in ("int name(Row& other, int x) { return x; }", "int name(int x, int y = 3);",
                     "constexpr int name = 3;", "struct name {};", "template <typename T>\nint name(T of);", "int name(auto of);"):
            self.expect_apart(one, own(code))
        header = "namespace stepcast {\nint name(Column column);\nint name(Row row, int number);\n}\n"
        self.expect_apart(one, '#include "row.hpp"\n', row=header)
        self.expect_together(own("int name(int);"), '#include "row.hpp"\n', row=header)
        self.expect_apart(own("int name(int);"), '#include "row.hpp"\n' + own("int x() { return name(Row()); }"), row=header)

    def test_no_function_hides_one_of_a_header_that_the_other_calls(self):
        header, include = "namespace stepcast {\nint name(Row row);\n}\n", '#include "row.hpp"\n'
        self.expect_apart(include + own("int name(int);"), include + own("int x() { return name(Row()); }"), row=header)
        self.expect_together(include + own("int name(int);"), include + own("int x();"), row=header)

    def test_functions_that_are_handed_over_or_called_with_braces_are_none(self):
        for use in ("all(name)", "name({1, 2})"):
            self.expect_apart(own(f"int name(Row row);\nauto x = {use};"), own("int name(int);"))

    def test_tests_have_names_of_their_program(self):
        self.expect_together("TEST(A, B) { f(); }\nTEST(A, C) {}\n", "TEST(A, D) {}\nstatic_assert(f(2) == 1);\n")


if __name__ == "__main__":
    unittest.main()
