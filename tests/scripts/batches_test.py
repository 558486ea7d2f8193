#!/usr/bin/env python3
"""Tests of scripts/batches: sources whose names would meet in one batch come into different ones."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BATCHES = pathlib.Path(__file__).parents[2] / "scripts/batches"


def batch_texts(files, size=16):
    """The batches of the .cpp among the files {name: text}, as the script writes them; a source by itself has none."""
    with tempfile.TemporaryDirectory() as folder:
        root, out = pathlib.Path(folder, "root"), pathlib.Path(folder, "out")
        root.mkdir()
        for name, text in files.items():
            (root / name).write_text(text, encoding="utf-8")
        lines = "".join(f"all {root / name}\n" for name in files if name.endswith(".cpp"))
        printed = subprocess.run([sys.executable, BATCHES, f"--size={size}", root, out], input=lines, capture_output=True,
                                 text=True, check=True).stdout
        paths = re.findall(r"^target_sources\(all PRIVATE (.*)\)$", printed, re.M)
        texts = [pathlib.Path(path).read_text(encoding="utf-8").replace(f"{root}/", "") for path in paths]
        left_out = re.findall(rf'^set_property\(SOURCE "{root}/(.*)" TARGET_DIRECTORY all PROPERTY HEADER_FILE_ONLY ON\)$', printed, re.M)
        assert left_out == sources_of("".join(texts))
        return texts


def sources_of(text):
    return re.findall(r'^#include "(.*\.cpp)"', text, re.M)


def batches(files, size=16):
    """The batches as lists of names."""
    return [sources_of(text) for text in batch_texts(files, size)]


def renamed(files):
    """Names that bear another name in a source."""
    return sorted(set(re.findall(r"^#define (\w+) \1_\d+$", "".join(batch_texts(files)), re.M)))


def own(code):
    return f"namespace stepcast {{\nnamespace {{\n{code}\n}}  // namespace\n}}  // namespace stepcast\n"


def fixed(code):
    """The same where `name` is the name of something else, too, so that it must stay."""
    return own(code + "\nint use() { return row.name(); }")


class Batches(unittest.TestCase):
    def expect_together(self, one, other, **headers):
        files = {"a.cpp": one, "b.cpp": other, **{f"{name}.hpp": text for name, text in headers.items()}}
        self.assertEqual(batches(files), [["a.cpp", "b.cpp"]])

    def expect_apart(self, one, other, **headers):
        files = {"a.cpp": one, "b.cpp": other, **{f"{name}.hpp": text for name, text in headers.items()}}
        self.assertEqual(batches(files), [])

    def expect_renamed(self, one, other, **headers):
        """The name of one of the two that is called name."""
        files = {"a.cpp": one, "b.cpp": other, **{f"{name}.hpp": text for name, text in headers.items()}}
        self.assertEqual(batches(files), [["a.cpp", "b.cpp"]])
        self.assertEqual(renamed(files), ["name"])

    def test_sources_without_a_common_name_are_one_batch(self):
        self.expect_together(own("int one() { int x = 1; return x; }"), own("int two() { int x = 2; return x; }"))

    def test_a_batch_has_no_more_sources_than_told(self):
        self.assertEqual(batches({f"{i}.cpp": own(f"int f{i}();") for i in range(5)}, size=2),
                         [["0.cpp", "1.cpp"], ["2.cpp", "3.cpp"]])

    def test_every_kind_of_name_of_its_own_is_seen(self):
        for code in ("double name() {\n  return a + b;\n}", "constexpr int name = 3;", "struct name { int x; };",
                     "enum class name { A };", "const char* const name[] = {\"x\"};", "using name = std::vector<int>;",
                     "template <class T, class U>\nvoid name(T t) { if (t) { } }", "thread_local std::vector<int> name;", "const std::function<void()> name = [] {};",
                     "const Map name{{\"a\", {1, 2}}};", "name_type x();\nclass name final : public Base {\n};"):
            self.expect_renamed(own(code), own("bool name() { return true; }"))
            self.expect_apart(fixed(code), fixed("bool name() { return true; }"))

    def test_static_functions_are_of_a_sources_own(self):
        self.expect_renamed("static int name() { return 1; }\n", own("int name();"))

    def test_names_inside_braces_comments_and_strings_are_none(self):
        one = own("// int name();\nint one(int name = 1'000) { auto text = R\"(} int name();)\"; int name2; return name; }")
        self.expect_together(one, own("int name();"))

    def test_equal_aliases_may_meet_and_others_not(self):
        self.expect_together(own("namespace fs = std::filesystem;"), own("namespace fs = std::filesystem;"))
        self.expect_together("using nlohmann::json;\n", own("using nlohmann::json;"))
        self.expect_renamed(own("using name = std::vector<int>;"), own("using name = std::set<int>;"))
        self.expect_apart(own("using lib::name;"), own("using other::name;"))

    def test_a_name_of_its_own_is_none_of_a_header_of_others(self):
        header = "namespace stepcast {\nstruct name {\n  int x;\n};\n}  // namespace stepcast\n"
        includes = '#include "inner.hpp"\n'
        self.expect_renamed(own("struct name {};"), '#include "row.hpp"\n', row=includes, inner=header)
        self.expect_apart(fixed("struct name {};"), '#include "row.hpp"\n', row=includes, inner=header)
        self.expect_together(own("struct names {};"), '#include "row.hpp"\n', row=includes, inner=header)

    def test_all_headers_come_before_any_macro(self):
        one = "#include <vector>\n" + own("int name();")
        two = '#include "row.hpp"\n#include <vector>\n' + own("int name(int);")
        text, = batch_texts({"a.cpp": one, "b.cpp": two, "row.hpp": ""})
        self.assertEqual(text, '#include <vector>\n#include "row.hpp"\n'
                               '#define name name_0\n#include "a.cpp"\n#undef name\n'
                               '#define name name_1\n#include "b.cpp"\n#undef name\n')

    def test_a_source_that_includes_on_conditions_keeps_its_names(self):
        conditional = "#if __has_include(<x.h>)\n#include <x.h>\n#endif\n" + own("int name();")
        self.expect_apart(conditional, conditional)
        self.expect_renamed(conditional, own("int name();"))  # in the other source

    def test_a_source_may_add_to_the_names_of_its_headers(self):
        both = '#include "row.hpp"\n' + own("int of(Row row);")
        self.expect_together(both, '#include "row.hpp"\n', row="namespace stepcast {\nint of(int);\n}\n")

    def test_all_names_of_a_declaration_are_seen(self):
        self.expect_renamed(own("constexpr double first = 1, name = 2;"), own("int name();"))

    def test_names_that_no_other_source_knows_stay(self):
        self.assertEqual(renamed({"a.cpp": own("int name();"), "c.cpp": own("int two();")}), [])

    def test_names_that_are_something_else_too_stay(self):
        for code in ("int use(Row row) { return row.name; }", "int use() { return lib::name(); }"):
            self.expect_apart(own("int name();\n" + code), own("int name();\n" + code))
        for hook in ("PrintTo", "to_json"):
            self.assertEqual(batches({"a.cpp": own(f"int {hook}();"), "b.cpp": own(f"int {hook}();")}), [])

    def test_names_that_make_the_names_of_tests_stay(self):
        one = own("struct name : Test {};\nTEST_F(name, Adds) { f(); }")
        self.expect_apart(one, one)

    def test_functions_whose_parameters_differ_are_overloads(self):
        one = fixed("int name(const Row& row, int);")
        for code in ("int name();", "int name(int);", "int name(Row row);", "int name(const std::string& row, int x);"):
            self.expect_together(one, fixed(code))
        for code in ("int name(Row& other, int x) { return x; }", "int name(int x, int y = 3);",
                     "constexpr int name = 3;", "struct name {};", "template <typename T>\nint name(T of);", "int name(auto of);"):
            self.expect_apart(one, fixed(code))
        header = "namespace stepcast {\nint name(Column column);\nint name(Row row, int number);\n}\n"
        self.expect_apart(one, '#include "row.hpp"\n', row=header)
        self.expect_together(fixed("int name(int);"), '#include "row.hpp"\n', row=header)
        self.expect_apart(fixed("int name(int);"), '#include "row.hpp"\n' + own("int x() { return name(Row()); }"), row=header)

    def test_no_function_hides_one_of_a_header_that_the_other_calls(self):
        header, include = "namespace stepcast {\nint name(Row row);\n}\n", '#include "row.hpp"\n'
        self.expect_apart(include + own("int name(int);"), include + own("int x() { return name(Row()); }"), row=header)
        self.expect_together(include + own("int name(int);"), include + own("int x();"), row=header)

    def test_functions_that_are_handed_over_or_called_with_braces_are_none(self):
        for use in ("all(name)", "name({1, 2})"):
            self.expect_apart(fixed(f"int name(Row row);\nauto x = {use};"), fixed("int name(int);"))

    def test_tests_have_names_of_their_program(self):
        self.expect_together("TEST(A, B) { f(); }\nTEST(A, C) {}\n", "TEST(A, D) {}\nstatic_assert(f(2) == 1);\n")


if __name__ == "__main__":
    unittest.main()
