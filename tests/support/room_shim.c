/* Preload: limits the total bytes that a process and its children can write below a folder. Another file (an int64) has the
   limit; writes beyond it fail with ENOSPC. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

static long long *room;
static const char *below;

__attribute__((constructor)) static void load(void) {
    const char *path = getenv("NAVITAS_TEST_ROOM");
    below = getenv("NAVITAS_TEST_ROOM_BELOW");
    int file = path && below ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) room = page;
}

/* Returns the number of bytes that may be written, or -1 with errno if none may. */
static ssize_t granted(int file, size_t wanted) {
    char link[64], path[PATH_MAX];
    if (!room || !wanted) return wanted;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (!strstr(path, below)) return wanted;
    long long left = __atomic_fetch_sub(room, (long long) wanted, __ATOMIC_SEQ_CST);
    if (left >= (long long) wanted) return wanted;
    __atomic_fetch_add(room, (long long) wanted - (left > 0 ? left : 0), __ATOMIC_SEQ_CST);
    if (left > 0) return left;
    errno = ENOSPC;
    return -1;
}

ssize_t write(int file, const void *data, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    ssize_t fits = granted(file, count);
    return fits < 0 ? -1 : real(file, data, fits);
}

ssize_t sendfile(int out, int in, off_t *at, size_t count) {
    static ssize_t (*real)(int, int, off_t *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "sendfile");
    ssize_t sent = real(out, in, at, count > 65536 ? 65536 : count); /* callers request more than is available */
    return sent > 0 && granted(out, sent) < 0 ? -1 : sent;
}
