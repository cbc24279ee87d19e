#include "seal.hpp"

#include "../seccomp.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace foxwedge::box {
namespace {

constexpr rlim_t largest_file = 256 << 20, most_descriptors = 256;

std::string failed(const char* what) {
    return std::string(what) + ": " + std::strerror(errno);
}

bool limit(int resource, rlim_t value) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
    if (now.rlim_max < value) value = now.rlim_max;
    now = {value, value};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &now) == 0;
}

// ---- Landlock: what can be read and written ----

constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// A file cannot be listed, and the kernel refuses a rule that says so.
std::uint64_t access_to(const char* path) {
    struct stat info {};
    const bool folder = ::stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? ~std::uint64_t{0} : ~std::uint64_t{LANDLOCK_ACCESS_FS_READ_DIR};
}

bool allow(int ruleset, const char* path, std::uint64_t access) {
    const int fd = ::open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT; // what is not there need not be opened
    const landlock_path_beneath_attr rule{access, fd};
    const bool added =
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    ::close(fd);
    return added;
}

/// True if the kernel has it and it holds.
bool shut_files(const std::string& folder) {
    const landlock_ruleset_attr handled{reading | writing};
    const int ruleset =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
    if (ruleset < 0) return false;
    bool shut = true;
    // Of /proc its own part and what describes the machine: another process's holds its secrets.
    for (const auto* path :
         {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
          "/etc/ssl/certs", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat",
          "/proc/filesystems", "/proc/sys", "/sys/devices/system/cpu"})
        shut = allow(ruleset, path, reading & access_to(path)) && shut;
    for (const auto* path : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
        shut = allow(ruleset, path, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE) &&
               shut;
    shut = allow(ruleset, folder.c_str(), reading | writing) && shut;
    // Its own library lies beside the folder that it may write to.
    const auto library = folder.substr(0, folder.rfind('/')) + "/library";
    shut = allow(ruleset, library.c_str(), reading) && shut;
    shut = shut && ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    ::close(ruleset);
    return shut;
}

// ---- seccomp: what can be asked of the kernel ----

class Filter {
public:
    Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {}
    ~Filter() {
        if (context_) ::seccomp_release(context_);
    }
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    void refuse(int call, int error = EPERM) { add(call, error, 0, {}); }
    void refuse_if(int call, scmp_arg_cmp argument) { add(call, EPERM, 1, argument); }
    bool load() { return context_ && whole_ && ::seccomp_load(context_) == 0; }

private:
    void add(int call, int error, unsigned count, scmp_arg_cmp argument) {
        // A call that this machine does not have cannot be made either.
        if (!context_ || call == __NR_SCMP_ERROR) return;
        const int added = ::seccomp_rule_add_array(
            context_, SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error)), call, count, &argument);
        whole_ = whole_ && added == 0;
    }
    scmp_filter_ctx context_;
    bool whole_ = true;
};

constexpr const char* refused[] = {
    // the network
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
    // programs and processes
    "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
    "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "tkill", "rt_sigqueueinfo",
    "rt_tgsigqueueinfo", "setns", "unshare", "setpgid", "setsid",
    // files' owners, modes and attributes, which Landlock leaves open
    "chmod", "fchmodat", "chown", "fchownat", "lchown", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "utime", "utimes", "utimensat", "futimesat",
    "truncate",
    // the system itself
    "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "pivot_root", "chroot",
    "reboot", "swapon", "swapoff", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "bpf", "perf_event_open", "keyctl", "add_key", "request_key", "acct",
    "quotactl", "settimeofday", "clock_settime", "adjtimex", "sethostname", "setdomainname",
    "personality", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
    "name_to_handle_at", "open_by_handle_at", "msgget", "semget", "shmget", "mq_open"};

constexpr const char* changes_files[] = {
    "creat", "mkdir",  "mkdirat",  "mknod", "mknodat", "rename",  "renameat", "renameat2",
    "rmdir", "unlink", "unlinkat", "link",  "linkat",  "symlink", "symlinkat"};

bool shut_calls(bool files_are_shut) {
    Filter filter;
    for (const auto* name : refused) filter.refuse(::seccomp_syscall_resolve_name(name));
    // A new thread shares its process; anything else would be a new one.
    filter.refuse_if(SCMP_SYS(clone), argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD));
    // Its flags lie in memory, where they cannot be judged: libc goes on with clone.
    filter.refuse(SCMP_SYS(clone3), ENOSYS);
    const auto self = static_cast<scmp_datum_t>(::getpid());
    filter.refuse_if(SCMP_SYS(kill), argument(0, SCMP_CMP_NE, self));
    filter.refuse_if(SCMP_SYS(tgkill), argument(0, SCMP_CMP_NE, self));
    if (!files_are_shut) {
        for (const auto* name : changes_files) filter.refuse(::seccomp_syscall_resolve_name(name));
        filter.refuse(SCMP_SYS(openat2), ENOSYS);
        for (const auto flag : {O_WRONLY, O_RDWR, O_CREAT}) {
            const auto mask = static_cast<scmp_datum_t>(flag);
            filter.refuse_if(SCMP_SYS(open), argument(1, SCMP_CMP_MASKED_EQ, mask, mask));
            filter.refuse_if(SCMP_SYS(openat), argument(2, SCMP_CMP_MASKED_EQ, mask, mask));
        }
    }
    return filter.load();
}

} // namespace

std::string seal(const std::string& folder) {
    if (folder.empty() || folder.front() != '/') return "the folder must be an absolute path";
    if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, largest_file) ||
        !limit(RLIMIT_NOFILE, most_descriptors))
        return failed("setrlimit");
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return failed("dumpable");
    if (!shut_calls(shut_files(folder))) return failed("seccomp");
    return {};
}

} // namespace foxwedge::box
