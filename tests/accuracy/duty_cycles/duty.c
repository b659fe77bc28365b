#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

#define LOOP(name) \
    __attribute__((noinline)) void name(int64_t until) { \
        while (cpu_ns() < until) for (int i = 1; i < 50000; i++) sink += 1.0 / i; \
    }
LOOP(ten) LOOP(twenty) LOOP(thirty) LOOP(forty)
static void (*const loops[])(int64_t) = {ten, twenty, thirty, forty};
static int rounds, pinned;

static void *work(void *number) {
    unsigned seed = (unsigned)(intptr_t)number;
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(seed / 2, &cpu);
    if (pinned) pthread_setaffinity_np(pthread_self(), sizeof cpu, &cpu);
    int64_t due = cpu_ns();
    for (int round = 0; round < rounds; round++) {
        int first = rand_r(&seed) % 4;
        for (int i = 0; i < 4; i++) {
            int share = (first + i) % 4 + 1;
            loops[share - 1](due += share * 1000000LL);
        }
    }
    return 0;
}

int main(int count, char **words) {
    pthread_t threads[4];
    rounds = atoi(words[1]);
    pinned = count > 2;
    for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
