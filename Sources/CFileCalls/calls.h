// File calls that the C library hides from Swift: GNU extensions, variadic functions and macros.
// Each has one portable shape; the macOS side uses that system's own call.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/stat.h>
#include <sys/syscall.h>

extern long syscall(long number, ...);
extern int syncfs(int descriptor);
#endif

/// Renames and never replaces: -1 with EEXIST when the target exists, with EINVAL or ENOSYS where the
/// file system cannot promise that (then link and unlink).
static inline int file_rename_exclusive(
    int from, const char *_Nonnull source, int to, const char *_Nonnull target) {
#if defined(__linux__)
  return (int)syscall(SYS_renameat2, from, source, to, target, 1u /* RENAME_NOREPLACE */);
#else
  return renameatx_np(from, source, to, target, RENAME_EXCL);
#endif
}

/// Lets two names change their files at once: -1 with EINVAL or ENOSYS where the file system cannot.
static inline int file_rename_exchange_at(
    int from, const char *_Nonnull source, int to, const char *_Nonnull target) {
#if defined(__linux__)
  return (int)syscall(SYS_renameat2, from, source, to, target, 2u /* RENAME_EXCHANGE */);
#else
  return renameatx_np(from, source, to, target, RENAME_SWAP);
#endif
}

static inline int file_rename_exchange(const char *_Nonnull source, const char *_Nonnull target) {
  return file_rename_exchange_at(AT_FDCWD, source, AT_FDCWD, target);
}

/// Writes back everything that the file system of `descriptor` holds: 0, or -1 where there is no such call.
static inline int file_sync_file_system(int descriptor) {
#if defined(__linux__)
  return syncfs(descriptor);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Makes one file or directory durable; on macOS also through the drive's cache.
static inline int file_sync(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(descriptor);
}

/// Sets the modification time in nanoseconds since 1970 and leaves the access time alone.
static inline int file_set_modification_time(int descriptor, int64_t nanoseconds) {
  int64_t seconds = nanoseconds / 1000000000, rest = nanoseconds % 1000000000;
  if (rest < 0) {
    rest += 1000000000;
    seconds -= 1;
  }
  struct timespec times[2];
  times[0].tv_sec = 0;
#if defined(__linux__)
  times[0].tv_nsec = (1l << 30) - 2l;  // UTIME_OMIT
#else
  times[0].tv_nsec = UTIME_OMIT;
#endif
  times[1].tv_sec = seconds;
  times[1].tv_nsec = rest;
  return futimens(descriptor, times);
}

/// Birth time in nanoseconds since 1970, or 0 where the file system keeps none.
static inline int64_t file_birth_time(int descriptor) {
#if defined(__linux__)
  struct statx facts;
  if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &facts) != 0) return 0;
  if (!(facts.stx_mask & STATX_BTIME)) return 0;
  return facts.stx_btime.tv_sec * 1000000000ll + facts.stx_btime.tv_nsec;
#else
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return 0;
  return facts.st_birthtimespec.tv_sec * 1000000000ll + facts.st_birthtimespec.tv_nsec;
#endif
}

#if defined(__linux__)
/// Reads directory entries (linux_dirent64) into the buffer: bytes filled, 0 at the end, -1 with errno.
static inline ssize_t file_read_directory(int descriptor, void *_Nonnull buffer, size_t size) {
  return syscall(SYS_getdents64, descriptor, buffer, size);
}
#endif
