#include "mcp/pool.hpp"

namespace foxwedge::mcp {

void ClientPool::add(ServerSpec spec) {
    std::lock_guard lock(mutex_);
    clients_.erase(spec.name);
    std::string name = spec.name;
    specs_.insert_or_assign(std::move(name), std::move(spec));
}

std::shared_ptr<Client> ClientPool::client(std::string_view name) {
    std::lock_guard lock(mutex_);
    if (const auto known = clients_.find(name); known != clients_.end()) return known->second;
    const auto spec = specs_.find(name);
    if (spec == specs_.end()) return nullptr;
    return clients_[spec->first] = Client::make(spec->second, around_);
}

std::shared_ptr<Client> ClientPool::own_client(std::string_view name) {
    std::lock_guard lock(mutex_);
    const auto spec = specs_.find(name);
    return spec == specs_.end() ? nullptr : Client::make(spec->second, around_);
}

} // namespace foxwedge::mcp
