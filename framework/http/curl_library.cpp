#include "http/curl_library.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace foxwedge::http {

namespace {

Result<Curl> load_curl() {
    void* library = nullptr;
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"})
        if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
    if (!library)
        return permanent("no_http_library", "libcurl.so.4 cannot be loaded; install libcurl4");
    Curl curl{};
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (!function) missing = name;
    };
    find(curl.global_init, "curl_global_init");
    find(curl.easy_init, "curl_easy_init");
    find(curl.easy_cleanup, "curl_easy_cleanup");
    find(curl.easy_setopt, "curl_easy_setopt");
    find(curl.easy_pause, "curl_easy_pause");
    find(curl.easy_strerror, "curl_easy_strerror");
    find(curl.slist_append, "curl_slist_append");
    find(curl.slist_free_all, "curl_slist_free_all");
    find(curl.multi_init, "curl_multi_init");
    find(curl.multi_cleanup, "curl_multi_cleanup");
    find(curl.multi_add_handle, "curl_multi_add_handle");
    find(curl.multi_remove_handle, "curl_multi_remove_handle");
    find(curl.multi_perform, "curl_multi_perform");
    find(curl.multi_poll, "curl_multi_poll");
    find(curl.multi_wakeup, "curl_multi_wakeup");
    find(curl.multi_info_read, "curl_multi_info_read");
    if (missing)
        return permanent("no_http_library", "libcurl is too old: it lacks " + std::string(missing));
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return permanent("no_http_library", "libcurl cannot be initialised");
    return curl;
}

} // namespace

const Result<Curl>& the_curl() {
    static const Result<Curl> curl = load_curl();
    return curl;
}

} // namespace foxwedge::http
