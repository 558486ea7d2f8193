#include "traces/job/streams/sqlite_file.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

// The probe is built on machines that measure only and may have no libsqlite3.
#if __has_include(<sqlite3.h>)
#include <sqlite3.h>

namespace stepcast {
namespace {

/// A name as it stands in SQL between quotes.
std::string quoted(std::string_view name) {
  std::string text;
  for (const char c : name)
    text += c == '\'' ? "''" : std::string(1, c);
  return text;
}

/// For sqlite3_open_v2: no journal is looked for, as nobody writes. What has a meaning in a URI is
/// written as its number.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      uri += c;
  return uri + "?mode=ro&immutable=1";
}

}  // namespace

std::optional<std::int64_t> SqliteRow::whole(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER)
    return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string SqliteRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT)
    return {};
  const unsigned char* text = sqlite3_column_text(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

void SqliteFile::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

SqliteFile::SqliteFile(const std::filesystem::path& path) : path_(path.string()) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(uri_of(path).c_str(), &opened,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database_.reset(opened);
  if (result != SQLITE_OK)
    throw InputError(
        fmt::format("{}: cannot be read as an SQLite database: {}", path_, sqlite3_errstr(result)));
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

bool SqliteFile::has(std::string_view table, std::string_view column) const {
  bool found = false;
  for_each(fmt::format("SELECT 1 FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = "
                       "'table' AND m.name = '{}' AND c.name = '{}'",
                       quoted(table), quoted(column)),
           [&](const SqliteRow&) { found = true; });
  return found;
}

void SqliteFile::for_each(const std::string& query,
                          const std::function<void(const SqliteRow&)>& row) const {
  sqlite3_stmt* prepared = nullptr;
  const auto check = [&](int result) {
    if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE)
      throw InputError(
          fmt::format("{}: damaged SQLite database: {}", path_, sqlite3_errmsg(database_.get())));
  };
  check(sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &prepared, nullptr));
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                             sqlite3_finalize);
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(prepared)) == SQLITE_ROW)
    row(SqliteRow(prepared));
  check(result);
}

}  // namespace stepcast
#else
struct sqlite3 {};

namespace stepcast {

std::optional<std::int64_t> SqliteRow::whole(int) const {
  return statement_ == nullptr ? std::nullopt : std::optional<std::int64_t>(0);
}

std::string SqliteRow::text(int) const {
  return {};
}

void SqliteFile::Close::operator()(sqlite3*) const {}

SqliteFile::SqliteFile(const std::filesystem::path& path) : path_(path.string()) {
  throw InputError(path_ +
                   ": is an SQLite database, which a build without libsqlite3 does not read");
}

bool SqliteFile::has(std::string_view, std::string_view) const {
  return false;
}

void SqliteFile::for_each(const std::string&, const std::function<void(const SqliteRow&)>&) const {}

}  // namespace stepcast
#endif

namespace stepcast {

bool is_sqlite(std::string_view head) {
  return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

}  // namespace stepcast
