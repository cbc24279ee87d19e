#include "sandbox.hpp"

#include "../seccomp.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char** environ;

namespace {

volatile bool refused = false;

void* mapped(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    const long got = ::syscall(SYS_mmap, at, size, protection, flags, fd, offset);
    if (got == -1) {
        if (errno == ENOMEM) refused = true;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(got);
}

void* given(void* memory) {
    if (!memory) refused = true;
    return memory;
}

} // namespace

// The engine's own requests for memory come through here, because a program's symbols go before
// those of its libraries.
extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

#define FOXWEDGE_EXPORTED __attribute__((visibility("default")))

// Under both of its names, of which the headers know one at a time.
FOXWEDGE_EXPORTED void* plain_mmap(void*, size_t, int, int, int, off_t) noexcept __asm__("mmap");
FOXWEDGE_EXPORTED void* large_mmap(void*, size_t, int, int, int, off_t) noexcept __asm__("mmap64");

void* plain_mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
    return mapped(at, size, protection, flags, fd, offset);
}
void* large_mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
    return mapped(at, size, protection, flags, fd, offset);
}
FOXWEDGE_EXPORTED void* malloc(size_t size) noexcept {
    return given(__libc_malloc(size));
}
FOXWEDGE_EXPORTED void* calloc(size_t count, size_t size) noexcept {
    return given(__libc_calloc(count, size));
}
FOXWEDGE_EXPORTED void* realloc(void* old, size_t size) noexcept {
    void* const got = __libc_realloc(old, size);
    return size == 0 ? got : given(got);
}
FOXWEDGE_EXPORTED void* aligned_alloc(size_t alignment, size_t size) noexcept {
    return given(__libc_memalign(alignment, size));
}
FOXWEDGE_EXPORTED int posix_memalign(void** to, size_t alignment, size_t size) noexcept {
    void* const got = given(__libc_memalign(alignment, size));
    if (!got) return ENOMEM;
    *to = got;
    return 0;
}

} // extern "C"

namespace script_box {
namespace {

constexpr rlim_t stack_bytes = 8u << 20;

void limit(int resource, rlim_t value) {
    const rlimit both{value, value};
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// Address space in use now.
std::uint64_t mapped_bytes() {
    unsigned long pages = 0;
    if (auto* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The kernel's numbers: the headers of a distribution are older than the kernels it runs on.
struct LandlockRules {
    std::uint64_t files, net, scoped;
};

/// No file, no port, no signal to others, where the kernel knows how. Nothing is granted.
void forbid_files() {
    constexpr long create = 444, restrict_self = 446;
    const long abi = ::syscall(create, nullptr, 0, 1u);
    if (abi < 1) return;
    LandlockRules rules{};
    rules.files = (1u << 13) - 1;
    if (abi >= 2) rules.files |= 1u << 13;
    if (abi >= 3) rules.files |= 1u << 14;
    if (abi >= 5) rules.files |= 1u << 15;
    if (abi >= 4) rules.net = 3;
    if (abi >= 6) rules.scoped = 3;
    const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    const long ruleset = ::syscall(create, &rules, size, 0u);
    if (ruleset < 0) return;
    ::syscall(restrict_self, ruleset, 0u);
    ::close(static_cast<int>(ruleset));
}

/// Everything that is not named here ends the process.
bool allow_only_computing() {
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter) return false;
    bool good = true;
    const auto allow = [&](int call) {
        good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    };
    for (const int call : {SCMP_SYS(futex),
                           SCMP_SYS(munmap),
                           SCMP_SYS(madvise),
                           SCMP_SYS(brk),
                           SCMP_SYS(rt_sigaction),
                           SCMP_SYS(rt_sigprocmask),
                           SCMP_SYS(rt_sigreturn),
                           SCMP_SYS(sigaltstack),
                           SCMP_SYS(clock_gettime),
                           SCMP_SYS(clock_nanosleep),
                           SCMP_SYS(nanosleep),
                           SCMP_SYS(gettimeofday),
                           SCMP_SYS(sched_yield),
                           SCMP_SYS(sched_getaffinity),
                           SCMP_SYS(getpid),
                           SCMP_SYS(gettid),
                           SCMP_SYS(exit),
                           SCMP_SYS(exit_group),
                           SCMP_SYS(getrandom),
                           SCMP_SYS(rseq),
                           SCMP_SYS(set_robust_list),
                           SCMP_SYS(close),
                           SCMP_SYS(getrusage),
                           SCMP_SYS(times),
                           SCMP_SYS(sysinfo),
                           SCMP_SYS(membarrier),
                           SCMP_SYS(restart_syscall),
                           SCMP_SYS(setitimer),
                           SCMP_SYS(pread64),
                           SCMP_SYS(tgkill),
                           SCMP_SYS(mremap)})
        allow(call);
    // Its own pipes, and nothing else that may be open.
    const auto on = [&](int call, int descriptor) {
        good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                                        foxwedge::argument(0, SCMP_CMP_EQ,
                                                           static_cast<unsigned>(descriptor))) == 0;
    };
    for (const int call : {SCMP_SYS(read), SCMP_SYS(readv)}) on(call, STDIN_FILENO);
    for (const int call : {SCMP_SYS(write), SCMP_SYS(writev)}) {
        on(call, STDOUT_FILENO);
        on(call, STDERR_FILENO);
    }
    // The engine pokes its event loop, which nobody runs here.
    for (const int call : {SCMP_SYS(write), SCMP_SYS(read)})
        good = good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EBADF), call, 1,
                                        foxwedge::argument(0, SCMP_CMP_GT, STDERR_FILENO)) == 0;
    // Memory that is nobody's file and can never be run as code.
    good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
                                    foxwedge::argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                                    foxwedge::argument(4, SCMP_CMP_EQ, 0xFFFFFFFFu)) == 0;
    good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                                    foxwedge::argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
    // The engine looks for a time zone's file late, and does without.
    for (const int call : {SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(newfstatat), SCMP_SYS(fstat),
                           SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(access),
                           SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat)})
        good = good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), call, 0) == 0;
    good = good && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    good = good && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return good;
}

} // namespace

void enter_bare() {
    for (char** each = environ; each && *each; ++each) std::memset(*each, 0, std::strlen(*each));
    ::clearenv();
    // No code is generated, the heap lies in ordinary memory that RLIMIT_AS counts, and no thread
    // is ever started after the filter stands.
    ::setenv("JSC_useJIT", "0", 1);
    ::setenv("GIGACAGE_ENABLED", "0", 1);
    ::setenv("JSC_numberOfGCMarkers", "1", 1);
    ::setenv("JSC_useConcurrentGC", "0", 1);
    ::setenv("TZ", "UTC", 1);
    limit(RLIMIT_STACK, stack_bytes);
}

const char* lock_up(std::uint64_t memory_bytes, std::uint64_t cpu_seconds) {
    const auto mapped = mapped_bytes();
    if (mapped == 0) return "the size of the process is not known";
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 0);
    limit(RLIMIT_CPU, cpu_seconds);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "new privileges cannot be ruled out";
    forbid_files();
    limit(RLIMIT_NOFILE, 3);
    limit(RLIMIT_AS, mapped + memory_bytes);
    refused = false;
    if (!allow_only_computing()) return "the kernel takes no filter of system calls (seccomp)";
    return nullptr;
}

bool memory_was_refused() {
    return refused;
}

} // namespace script_box
