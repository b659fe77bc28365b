/* Preload: shifts the realtime clock of a process and its children by the seconds (a double) in the file NAVITAS_TEST_CLOCK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double *shift;

__attribute__((constructor)) static void load(void) {
    const char *path = getenv("NAVITAS_TEST_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(double), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) shift = page;
}

static void add(long long *seconds, long *nanoseconds) {
    if (!shift) return;
    long long by = llround(*shift * 1e9), sum = *nanoseconds + by % 1000000000;
    *seconds += by / 1000000000 + (sum >= 1000000000) - (sum < 0);
    *nanoseconds = (sum + 1000000000) % 1000000000;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(id, now);
    if (code == 0 && id == CLOCK_REALTIME) {
        long long seconds = now->tv_sec;
        add(&seconds, &now->tv_nsec);
        now->tv_sec = seconds;
    }
    return code;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    (void)zone;
    int code = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return code;
}

time_t time(time_t *out) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (out) *out = exact.tv_sec;
    return exact.tv_sec;
}
