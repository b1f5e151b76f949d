// SQLite's variadic calls, which Swift cannot make. Declared as sqlite3.h does, without including it:
// the module with that header is GRDB's.
#pragma once

struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *, int, ...);
extern int sqlite3_config(int, ...);

/// While `on`, a VACUUM makes the database empty whatever is in it, damaged or not
/// (SQLITE_DBCONFIG_RESET_DATABASE).
static inline int index_set_reset(void *_Nonnull database, int on) {
  return sqlite3_db_config((struct sqlite3 *)database, 1009, on, (int *)0);
}

/// Spares each allocation a lock that all threads share (SQLITE_CONFIG_MEMSTATUS); works only before
/// SQLite's first use.
static inline int index_stop_memory_statistics(void) { return sqlite3_config(9, 0); }

#include <stdlib.h>
#ifdef __GLIBC__
extern int malloc_trim(size_t);
extern int mallopt(int, int);
#endif

/// Has glibc keep no more than `bytes` that are free at the end of each thread's memory. By itself it keeps twice the
/// largest block that was freed so far, for each, and malloc_trim leaves that alone (M_TRIM_THRESHOLD).
static inline void index_keep_free_memory(int bytes) {
#ifdef __GLIBC__
  mallopt(-1, bytes);
#endif
}

/// Gives the system memory back that is free, but that glibc keeps for its threads.
static inline void index_return_free_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
