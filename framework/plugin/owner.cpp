#include "plugin/owner.hpp"

#include <grp.h>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t record_bytes = 1 << 16;

/// True if nobody but `owner` is in the group: its primary group, with no other member.
bool is_private_group(gid_t group, uid_t owner) {
    std::vector<char> user_space(record_bytes), group_space(record_bytes);
    passwd user{}, *found_user = nullptr;
    if (::getpwuid_r(owner, &user, user_space.data(), user_space.size(), &found_user) != 0 ||
        !found_user || user.pw_gid != group)
        return false;
    struct group record {
    }, *found_group = nullptr;
    if (::getgrgid_r(group, &record, group_space.data(), group_space.size(), &found_group) != 0 ||
        !found_group)
        return false;
    for (char** name = record.gr_mem; *name; ++name)
        if (std::string_view(*name) != user.pw_name) return false;
    return true;
}

} // namespace

Status check_owner(const struct stat& info, std::string_view what) {
    const std::string thing(what);
    if (info.st_uid != 0 && info.st_uid != ::geteuid())
        return refusal("unsafe_owner",
                       "the " + thing + " belongs to user " + std::to_string(info.st_uid) +
                           ", neither to you nor to root",
                       "give it to the user that runs foxwedge, or to root");
    if (info.st_mode & S_IWOTH)
        return refusal("unsafe_mode", "everybody may write to the " + thing,
                       "chmod o-w the " + thing);
    if ((info.st_mode & S_IWGRP) && !is_private_group(info.st_gid, info.st_uid))
        return refusal("unsafe_mode", "its group may write to the " + thing,
                       "chmod g-w the " + thing);
    return {};
}

} // namespace foxwedge::plugin
