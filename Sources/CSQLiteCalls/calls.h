// SQLite's variadic calls, which Swift cannot make. Declared as sqlite3.h does, without including it:
// the module with that header is GRDB's.
#pragma once

struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *, int, ...);
extern int sqlite3_config(int, ...);

/// While `on`, a VACUUM makes the database empty whatever is in it, damaged or not
/// (SQLITE_DBCONFIG_RESET_DATABASE).
static inline int sqlite_set_reset(void *_Nonnull database, int on) {
  return sqlite3_db_config((struct sqlite3 *)database, 1009, on, (int *)0);
}

/// Spares each allocation a lock that all threads share (SQLITE_CONFIG_MEMSTATUS); works only before
/// SQLite's first use.
static inline int sqlite_stop_memory_statistics(void) { return sqlite3_config(9, 0); }
