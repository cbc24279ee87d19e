#include "base/digest.hpp"

#include <cstdlib>

#include <openssl/evp.h>

namespace foxwedge {
namespace {

void must(int status) {
    // Only a lack of memory or a broken OpenSSL gets here; nothing after it could be trusted.
    if (status != 1) std::abort();
}

const EVP_MD* algorithm() {
    // Fetched once: OpenSSL 3 looks the algorithm up by name at each use otherwise.
    static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return found;
}

struct Context {
    EVP_MD_CTX* ctx = EVP_MD_CTX_new();
    Context() { start(); }
    ~Context() { EVP_MD_CTX_free(ctx); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    void start() { must(EVP_DigestInit_ex2(ctx, algorithm(), nullptr)); }
    void update(std::string_view bytes) { must(EVP_DigestUpdate(ctx, bytes.data(), bytes.size())); }
    Digest finish() {
        Digest digest;
        must(EVP_DigestFinal_ex(ctx, digest.data(), nullptr));
        return digest;
    }
};

Context& thread_context() {
    thread_local Context context;
    return context;
}

} // namespace

Digest sha256(std::string_view bytes) {
    auto& context = thread_context();
    context.start();
    context.update(bytes);
    return context.finish();
}

Digest sha256(std::string_view first, std::string_view second) {
    auto& context = thread_context();
    context.start();
    context.update(first);
    context.update(second);
    return context.finish();
}

std::string to_hex(const Digest& digest) {
    return to_hex(bytes_of(digest));
}

std::string to_hex(std::string_view bytes) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text(bytes.size() * 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto byte = static_cast<unsigned char>(bytes[i]);
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    return text;
}

struct Sha256::State : Context {};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
void Sha256::update(std::string_view bytes) {
    state_->update(bytes);
}
Digest Sha256::finish() {
    return state_->finish();
}

} // namespace foxwedge
