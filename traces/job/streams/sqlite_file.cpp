// A database is a program as much as data: a view or a generated column may compute without end, a
// join of two tables with equal keys has the product of their rows, and pages that refer to one
// page again and again hold more rows than there are atoms. So every query is the plain scan of
// one stored table, which takes a number of steps and bytes in proportion to the file; a file that
// takes more is refused. An authorizer allows nothing else, whatever the schema says.
#include "traces/job/streams/sqlite_file.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"

// The probe is built on machines that measure only and may have no libsqlite3.
#if __has_include(<sqlite3.h>)
#include <algorithm>
#include <mutex>

#include <sqlite3.h>

namespace stepcast {
namespace {

constexpr int kStepsBetweenLooks = 1000;
// The shortest row of seven columns takes 14 bytes of a file and a dozen steps to read.
constexpr double kStepsPerByte = 8;
constexpr double kStepsFree = 1e6;
constexpr double kBytesPerByte = 4;  // No text is stored in less than its length.
constexpr double kBytesFree = 1 << 20;
constexpr int kLongestValue = 16 << 20;
constexpr std::int64_t kMostMemory = std::int64_t{64} << 20;  // For each open file.
constexpr std::size_t kLongestReason = 160;

/// A name between quotes in SQL.
std::string quoted_in_sql(std::string_view name, char quote) {
  std::string text(1, quote);
  for (const char c : name)
    text.append(c == quote ? 2 : 1, c);
  return text + quote;
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

/// SQLite's limit of memory is one of the process, which may use SQLite for itself (Python does):
/// it is lowered while files are open and restored afterwards.
class MemoryOfSqlite {
 public:
  void add_file() {
    const std::lock_guard lock(mutex_);
    if (files_++ == 0) {
      used_before_ = sqlite3_memory_used();
      limit_before_ = sqlite3_hard_heap_limit64(-1);
      soft_before_ = sqlite3_soft_heap_limit64(-1);
    }
    set();
  }
  void drop_file() {
    const std::lock_guard lock(mutex_);
    if (--files_ > 0)
      return set();
    sqlite3_hard_heap_limit64(limit_before_);
    sqlite3_soft_heap_limit64(soft_before_);
  }

 private:
  void set() const {
    const std::int64_t limit = used_before_ + files_ * kMostMemory;
    sqlite3_hard_heap_limit64(limit_before_ > 0 ? std::min(limit, limit_before_) : limit);
  }

  std::mutex mutex_;
  std::int64_t files_ = 0;
  std::int64_t used_before_ = 0;
  std::int64_t limit_before_ = 0;
  std::int64_t soft_before_ = 0;  // A lower hard limit lowers it, too.
};

MemoryOfSqlite& memory_of_sqlite() {
  static MemoryOfSqlite memory;
  return memory;
}

/// `view`: the view or trigger that asks, of which none may.
int allow_plain_scans(void* /*unused*/, int action, const char* first, const char* /*second*/,
                      const char* /*database*/, const char* view) {
  if (view != nullptr)
    return SQLITE_DENY;
  const bool describes =
      action == SQLITE_PRAGMA && first != nullptr && std::string_view(first) == "table_xinfo";
  return action == SQLITE_SELECT || action == SQLITE_READ || describes ? SQLITE_OK : SQLITE_DENY;
}

int spend_steps(void* left) {
  double& steps_left = *static_cast<double*>(left);
  steps_left -= kStepsBetweenLooks;
  return steps_left < 0 ? 1 : 0;
}

void set_limits_of(sqlite3* database) {
  for (const auto& [what, most] : {std::pair{SQLITE_LIMIT_LENGTH, kLongestValue},
                                   {SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                   {SQLITE_LIMIT_COLUMN, 500},
                                   {SQLITE_LIMIT_EXPR_DEPTH, 50},
                                   {SQLITE_LIMIT_COMPOUND_SELECT, 2},
                                   {SQLITE_LIMIT_VDBE_OP, 25'000},
                                   {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                   {SQLITE_LIMIT_ATTACHED, 0},
                                   {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
                                   {SQLITE_LIMIT_VARIABLE_NUMBER, 0},
                                   {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                   {SQLITE_LIMIT_WORKER_THREADS, 0}})
    sqlite3_limit(database, what, most);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  // A quoted name that is none would be a text.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

}  // namespace

std::optional<std::int64_t> SqliteRow::whole(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER)
    return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string SqliteRow::text(int column, std::size_t most) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT)
    return {};
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr)
    return {};
  const std::string_view whole(reinterpret_cast<const char*>(text),
                               static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  // Only what is kept is looked at: a value may take 16 MiB. One more byte says that it is cut.
  return whole.size() > most ? abridged(whole.substr(0, most + 1), most) : valid_utf8(whole);
}

bool SqliteRow::is_longer(int column, std::size_t most) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT)
    return false;
  // The size is that of the UTF-8 text only after a database in UTF-16 was asked for its text.
  return sqlite3_column_text(statement_, column) != nullptr &&
         static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) > most;
}

std::size_t SqliteRow::bytes() const {
  std::size_t bytes = 0;
  for (int column = 0; column < sqlite3_column_count(statement_); ++column)
    if (const int type = sqlite3_column_type(statement_, column);
        type == SQLITE_TEXT || type == SQLITE_BLOB)
      bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes;
}

SqliteFile::SqliteFile(const std::filesystem::path& path) : path_(path.string()) {
  std::error_code absent;
  size_ = static_cast<double>(std::filesystem::file_size(path, absent));
  if (absent)
    throw InputError(path_ + ": cannot be read: " + absent.message());
  memory_of_sqlite().add_file();
  const int result = sqlite3_open_v2(uri_of(path).c_str(), &database_,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  if (result != SQLITE_OK) {
    sqlite3_close(database_);
    memory_of_sqlite().drop_file();
    throw InputError(
        fmt::format("{}: cannot be read as an SQLite database: {}", path_, sqlite3_errstr(result)));
  }
  set_limits_of(database_);
  sqlite3_set_authorizer(database_, allow_plain_scans, nullptr);
  sqlite3_progress_handler(database_, kStepsBetweenLooks, spend_steps, &steps_left_);
}

SqliteFile::~SqliteFile() {
  sqlite3_close(database_);
  memory_of_sqlite().drop_file();
}

bool SqliteFile::has(std::string_view table, std::string_view column) const {
  int entries = 0;
  bool is_stored = false;
  query(fmt::format("SELECT type, rootpage, sql FROM sqlite_master WHERE name = {} COLLATE NOCASE",
                    quoted_in_sql(table, '\'')),
        [&](const SqliteRow& row) {  // A virtual table is called a table, too, but has no page.
          ++entries;
          is_stored = row.text(0) == "table" && row.whole(1).value_or(0) > 0 &&
                      row.text(2).starts_with("CREATE TABLE");
        });
  if (entries != 1 || !is_stored)
    return false;
  std::optional<std::int64_t> hidden;
  query(fmt::format("PRAGMA table_xinfo({})", quoted_in_sql(table, '"')),
        [&](const SqliteRow& row) {
          if (row.text(1) == column)
            hidden = row.whole(6).value_or(0);
        });
  if (hidden && *hidden != 0)
    throw InputError(fmt::format(
        "{}: {}: expected a column {} that is stored, found one that the database computes", path_,
        table, column));
  return hidden.has_value();
}

void SqliteFile::for_each(std::string_view table, std::span<const std::string_view> columns,
                          const std::function<void(const SqliteRow&)>& row) const {
  std::string names;
  for (const std::string_view column : columns)
    names += (names.empty() ? "" : ", ") + quoted_in_sql(column, '"');
  query(fmt::format("SELECT {} FROM {}", names, quoted_in_sql(table, '"')), row);
}

void SqliteFile::query(const std::string& sql,
                       const std::function<void(const SqliteRow&)>& row) const {
  steps_left_ = kStepsFree + kStepsPerByte * size_;
  double bytes_left = kBytesFree + kBytesPerByte * size_;
  sqlite3_stmt* prepared = nullptr;
  if (const int result = sqlite3_prepare_v2(database_, sql.c_str(), -1, &prepared, nullptr);
      result != SQLITE_OK)
    fail(result);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                             sqlite3_finalize);
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(prepared)) == SQLITE_ROW) {
    const SqliteRow found(prepared);
    bytes_left -= static_cast<double>(found.bytes());
    if (bytes_left < 0)
      fail(SQLITE_INTERRUPT);
    row(found);
  }
  if (result != SQLITE_DONE)
    fail(result);
}

void SqliteFile::fail(int result) const {
  switch (result) {
    case SQLITE_INTERRUPT:
      throw InputError(path_ +
                       ": damaged SQLite database: its tables hold more than a file of its size "
                       "has room for");
    case SQLITE_NOMEM:
      throw InputError(fmt::format("{}: SQLite takes more than {} MiB of memory to read it", path_,
                                   kMostMemory >> 20));
    case SQLITE_TOOBIG:
      throw InputError(fmt::format(
          "{}: damaged SQLite database: a row or a statement is longer than any of Nsight Systems",
          path_));
    default:
      throw InputError(fmt::format("{}: damaged SQLite database: {}", path_,
                                   abridged(sqlite3_errmsg(database_), kLongestReason)));
  }
}

}  // namespace stepcast
#else
struct sqlite3 {};

namespace stepcast {

std::optional<std::int64_t> SqliteRow::whole(int) const {
  return statement_ == nullptr ? std::nullopt : std::optional<std::int64_t>(0);
}

std::string SqliteRow::text(int, std::size_t) const {
  return {};
}

bool SqliteRow::is_longer(int, std::size_t) const {
  return false;
}

std::size_t SqliteRow::bytes() const {
  return 0;
}

SqliteFile::SqliteFile(const std::filesystem::path& path) : path_(path.string()) {
  throw InputError(path_ +
                   ": is an SQLite database, which a build without libsqlite3 does not read");
}

SqliteFile::~SqliteFile() = default;

bool SqliteFile::has(std::string_view, std::string_view) const {
  return false;
}

void SqliteFile::for_each(std::string_view, std::span<const std::string_view>,
                          const std::function<void(const SqliteRow&)>&) const {}

}  // namespace stepcast
#endif

namespace stepcast {

bool is_sqlite(std::string_view head) {
  return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

}  // namespace stepcast
