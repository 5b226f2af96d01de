/* The n-th system call of an armed process does not happen: the process is killed before it, or it fails.
 *
 * Loaded by LD_PRELOAD. shim_arm(at, mode, error) starts counting from 1; shim_count() tells how many calls there were.
 * mode 1: kill before the call. 2: as 1, but a write writes half of its bytes first. 3: the call fails with `error`.
 * 4: it fails, and so does every later call that takes space or changes a name, as on a full or broken disk.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

static int at, mode, failure, count;

void shim_arm(int n, int how, int error) { at = n; mode = how; failure = error; count = 0; }
int shim_count(void) { return count; }

static int fails(int changes) {
    if (!mode) return 0;
    count++;
    if (mode == 4 && count > at && changes) { errno = failure; return 1; }
    if (count != at) return 0;
    if (mode == 1 || mode == 2) { kill(getpid(), SIGKILL); for (;;) pause(); }
    errno = failure;
    return 1;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)
#define WRAP(changes, name, params, args, ...) \
    int name params { REAL(int, #name, __VA_ARGS__); if (fails(changes)) return -1; return real args; }

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); int bits = va_arg(list, int); va_end(list); \
        REAL(int, #name, const char *, int, ...); \
        if (fails(flags & O_CREAT)) return -1; \
        return real(path, flags, bits); }
#define OPENS_AT(name) \
    int name(int dir, const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); int bits = va_arg(list, int); va_end(list); \
        REAL(int, #name, int, const char *, int, ...); \
        if (fails(flags & O_CREAT)) return -1; \
        return real(dir, path, flags, bits); }
OPENS(open) OPENS(open64) OPENS_AT(openat) OPENS_AT(openat64)

WRAP(0, close, (int fd), (fd), int)
WRAP(1, fsync, (int fd), (fd), int)
WRAP(1, syncfs, (int fd), (fd), int)
WRAP(0, flock, (int fd, int how), (fd, how), int, int)
WRAP(1, ftruncate64, (int fd, off_t n), (fd, n), int, off_t)
WRAP(1, fchmod, (int fd, mode_t m), (fd, m), int, mode_t)
WRAP(1, fchown, (int fd, uid_t u, gid_t g), (fd, u, g), int, uid_t, gid_t)
WRAP(1, fchownat, (int d, const char *a, uid_t u, gid_t g, int f), (d, a, u, g, f), int, const char *, uid_t, gid_t, int)
WRAP(1, symlinkat, (const char *a, int d, const char *b), (a, d, b), const char *, int, const char *)
WRAP(1, rename, (const char *a, const char *b), (a, b), const char *, const char *)
WRAP(1, renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), int, const char *, int, const char *)
WRAP(1, renameat2, (int d, const char *a, int e, const char *b, unsigned f), (d, a, e, b, f), int, const char *, int, const char *, unsigned)
WRAP(1, linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f), int, const char *, int, const char *, int)
WRAP(1, unlinkat, (int d, const char *a, int f), (d, a, f), int, const char *, int)
WRAP(1, mkdirat, (int d, const char *a, mode_t m), (d, a, m), int, const char *, mode_t)
WRAP(0, fstat64, (int fd, struct stat64 *s), (fd, s), int, struct stat64 *)
WRAP(0, fstatat64, (int d, const char *a, struct stat64 *s, int f), (d, a, s, f), int, const char *, struct stat64 *, int)
WRAP(0, fstatvfs64, (int fd, struct statvfs64 *s), (fd, s), int, struct statvfs64 *)
WRAP(1, fsetxattr, (int fd, const char *n, const void *v, size_t s, int f), (fd, n, v, s, f), int, const char *, const void *, size_t, int)
WRAP(1, fremovexattr, (int fd, const char *n), (fd, n), int, const char *)

#define SIZED(name, params, args, ...) \
    ssize_t name params { REAL(ssize_t, #name, __VA_ARGS__); if (fails(0)) return -1; return real args; }
SIZED(fgetxattr, (int fd, const char *n, void *v, size_t s), (fd, n, v, s), int, const char *, void *, size_t)
SIZED(flistxattr, (int fd, char *list, size_t s), (fd, list, s), int, char *, size_t)

DIR *fdopendir(int fd) { REAL(DIR *, "fdopendir", int); if (fails(0)) return 0; return real(fd); }
struct dirent *readdir(DIR *d) { REAL(struct dirent *, "readdir", DIR *); if (fails(0)) return 0; return real(d); }
struct dirent64 *readdir64(DIR *d) { REAL(struct dirent64 *, "readdir64", DIR *); if (fails(0)) return 0; return real(d); }

ssize_t read(int fd, void *to, size_t size) {
    REAL(ssize_t, "read", int, void *, size_t);
    if (fails(0)) return -1;
    return real(fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (mode == 2 && count + 1 == at) real(fd, from, size / 2);
    if (fails(1)) return -1;
    return real(fd, from, size);
}

ssize_t readlinkat(int d, const char *a, char *to, size_t size) {
    REAL(ssize_t, "readlinkat", int, const char *, char *, size_t);
    if (fails(0)) return -1;
    return real(d, a, to, size);
}
