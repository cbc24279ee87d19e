/* Preloaded into the program by tests that kill it at every commit of its journal:
 *
 *     LD_PRELOAD=kill_at.so KILL_AT=7 foxwedge run …
 *
 * LMDB makes a commit durable by one write into the first two pages of its file. The n-th of them
 * in this process is the one that counts: KILL_AT=2n-1 kills just before it (the commit is lost),
 * 2n just after it (the commit is there and nobody was told). A higher number kills nobody. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const off_t first_pages = 2 * 4096;
static atomic_long points;

static int is_commit(int fd, off_t offset) {
    if (offset >= first_pages) return 0;
    char link[64] = "/proc/self/fd/", path[4096];
    char digits[16];
    int n = 0;
    do digits[n++] = (char)('0' + fd % 10);
    while ((fd /= 10) != 0);
    char* end = link + strlen(link);
    while (n > 0) *end++ = digits[--n];
    *end = 0;
    const ssize_t size = readlink(link, path, sizeof path);
    static const char name[] = "/data.mdb";
    const size_t tail = sizeof name - 1;
    return size >= (ssize_t)tail && memcmp(path + size - tail, name, tail) == 0;
}

static void pass_point(void) {
    const char* at = getenv("KILL_AT");
    if (at && atomic_fetch_add(&points, 1) + 1 == strtol(at, NULL, 10)) kill(getpid(), SIGKILL);
}

/* Under whichever name it is called: which of the two a header means depends on how it is compiled.
 */
ssize_t seen_pwrite(int fd, const void* bytes, size_t size, off_t offset) __asm__("pwrite");
ssize_t seen_pwrite64(int fd, const void* bytes, size_t size, off_t offset) __asm__("pwrite64");

ssize_t seen_pwrite(int fd, const void* bytes, size_t size, off_t offset) {
    static ssize_t (*next)(int, const void*, size_t, off_t);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "pwrite64");
    if (!is_commit(fd, offset)) return next(fd, bytes, size, offset);
    pass_point();
    const ssize_t done = next(fd, bytes, size, offset);
    pass_point();
    return done;
}

ssize_t seen_pwrite64(int fd, const void* bytes, size_t size, off_t offset) {
    return seen_pwrite(fd, bytes, size, offset);
}
