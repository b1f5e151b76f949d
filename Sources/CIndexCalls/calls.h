// Calls on the C library's memory that Swift does not see.
#pragma once

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
