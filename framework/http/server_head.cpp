#include "http/server_head.hpp"

#include <charconv>

namespace foxwedge::http {

std::string_view reason_of(int status) {
    struct Known {
        int status;
        std::string_view reason;
    };
    static constexpr Known known[] = {{200, "OK"},
                                      {201, "Created"},
                                      {202, "Accepted"},
                                      {204, "No Content"},
                                      {301, "Moved Permanently"},
                                      {302, "Found"},
                                      {303, "See Other"},
                                      {304, "Not Modified"},
                                      {307, "Temporary Redirect"},
                                      {400, "Bad Request"},
                                      {401, "Unauthorized"},
                                      {403, "Forbidden"},
                                      {404, "Not Found"},
                                      {405, "Method Not Allowed"},
                                      {406, "Not Acceptable"},
                                      {408, "Request Timeout"},
                                      {409, "Conflict"},
                                      {413, "Content Too Large"},
                                      {415, "Unsupported Media Type"},
                                      {429, "Too Many Requests"},
                                      {431, "Request Header Fields Too Large"},
                                      {500, "Internal Server Error"},
                                      {501, "Not Implemented"},
                                      {503, "Service Unavailable"},
                                      {529, "Overloaded"}};
    for (const auto& k : known)
        if (k.status == status) return k.reason;
    return status < 400 ? "OK" : "Error";
}

Result<std::string> head_text(int status, const Headers& headers, bool keep_alive) {
    std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
    out.append(reason_of(status)).append("\r\n");
    for (const auto& field : headers) {
        FOXWEDGE_CHECK(check_field(field.name, field.value));
        out.append(field.name).append(": ").append(field.value).append("\r\n");
    }
    out.append(keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
    return out;
}

std::string chunk_text(std::string_view bytes) {
    char digits[17] = {};
    const auto end = std::to_chars(digits, digits + 16, bytes.size(), 16).ptr;
    std::string out(digits, end);
    return out.append("\r\n").append(bytes).append("\r\n");
}

} // namespace foxwedge::http
