/* Faults of calls that write below one folder. Loaded by LD_PRELOAD, so that SQLite's calls fail too.

   A process is undisturbed until it calls `begin_faults`. Calls are counted from 1; the one with the given number fails
   as `kind` says. `sort_of` returns the sort of a call, or -1 if there was none of that number. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, FULL, BROKEN, SHORT, KILLED };
enum sort { OPEN, WRITE, SYNC, RENAME, TRUNCATE, REMOVE };

#define MOST_CALLS 100000

static char folder[PATH_MAX];
static size_t length;
static enum kind fault;
static long number, all;
static signed char sorts[MOST_CALLS];
static int was_short;

void begin_faults(const char *path, int kind, long n) {
    snprintf(folder, sizeof folder, "%s/", path);
    length = strlen(folder);
    fault = kind;
    number = n;
}

int sort_of(long n) { return n <= all && n < MOST_CALLS ? sorts[n] : -1; }

#define NEXT(name) (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

static int is_below(const char *path) { return length && path && !strncmp(path, folder, length); }

static int is_descriptor_below(int descriptor) {
    char link[64], path[PATH_MAX];
    if (!length) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_below(path);
}

/* Return the error number of this call, or 0; does not return if it is killed and has nothing to write before. */
static int error_of(enum sort sort) {
    long at = __atomic_add_fetch(&all, 1, __ATOMIC_SEQ_CST);
    if (at < MOST_CALLS) sorts[at] = sort;
    if (fault == KILLED && at == number && sort != WRITE) kill(getpid(), SIGKILL);
    if (fault == BROKEN && at == number) return EIO;
    if (fault == FULL && at >= number && (sort == OPEN || sort == WRITE || sort == TRUNCATE)) return ENOSPC;
    return 0;
}

/* Return how many of `size` bytes this call writes. */
static size_t amount(size_t size) {
    if (fault == SHORT && all >= number && !was_short && size > 1) {
        was_short = 1;
        return size / 2;
    }
    return fault == KILLED && all == number ? size / 2 : size;
}

static ssize_t written(ssize_t size) {
    if (fault == KILLED && all == number) kill(getpid(), SIGKILL);
    return size;
}

#define FAIL(sort) do { int error = error_of(sort); if (error) { errno = error; return -1; } } while (0)

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

#define OPENING(name, path, flags, ...)                                                           \
    va_list list;                                                                                 \
    va_start(list, flags);                                                                        \
    mode_t mode = va_arg(list, mode_t);                                                           \
    va_end(list);                                                                                 \
    if (is_below(path) && writes(flags)) FAIL(OPEN);                                              \
    return (NEXT(name))(__VA_ARGS__, flags, mode)

int open(const char *path, int flags, ...) { OPENING(open, path, flags, path); }
int open64(const char *path, int flags, ...) { OPENING(open64, path, flags, path); }
int openat(int at, const char *path, int flags, ...) { OPENING(openat, path, flags, at, path); }
int openat64(int at, const char *path, int flags, ...) { OPENING(openat64, path, flags, at, path); }

#define WRITING(name, descriptor, size, ...)                                                      \
    if (!is_descriptor_below(descriptor)) return (NEXT(name))(__VA_ARGS__);                       \
    FAIL(WRITE);                                                                                  \
    size = amount(size);                                                                          \
    return written((NEXT(name))(__VA_ARGS__))

ssize_t write(int to, const void *data, size_t size) { WRITING(write, to, size, to, data, size); }
ssize_t pwrite(int to, const void *data, size_t size, off_t at) { WRITING(pwrite, to, size, to, data, size, at); }
ssize_t pwrite64(int to, const void *data, size_t size, off64_t at) { WRITING(pwrite64, to, size, to, data, size, at); }
ssize_t sendfile(int to, int from, off_t *at, size_t size) { WRITING(sendfile, to, size, to, from, at, size); }
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) { WRITING(sendfile64, to, size, to, from, at, size); }

#define DOING(sort, name, is_ours, ...)                                                           \
    if (is_ours) FAIL(sort);                                                                      \
    return (NEXT(name))(__VA_ARGS__)

int fsync(int of) { DOING(SYNC, fsync, is_descriptor_below(of), of); }
int fdatasync(int of) { DOING(SYNC, fdatasync, is_descriptor_below(of), of); }
int ftruncate(int of, off_t size) { DOING(TRUNCATE, ftruncate, is_descriptor_below(of), of, size); }
int ftruncate64(int of, off64_t size) { DOING(TRUNCATE, ftruncate64, is_descriptor_below(of), of, size); }
int rename(const char *from, const char *to) { DOING(RENAME, rename, is_below(to), from, to); }
int renameat(int a, const char *from, int b, const char *to) { DOING(RENAME, renameat, is_below(to), a, from, b, to); }
int unlink(const char *path) { DOING(REMOVE, unlink, is_below(path), path); }
int unlinkat(int at, const char *path, int flags) { DOING(REMOVE, unlinkat, is_below(path), at, path, flags); }
