#include "compose/run_world.hpp"

#include <map>
#include <mutex>

namespace foxwedge::compose {
namespace {

/// What was found under a name. Any thread.
template <class T>
class Kept {
public:
    template <class LookUp>
    Result<std::shared_ptr<T>> get(const std::string& name, LookUp&& look_up) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = found_.find(name); known != found_.end()) return known->second;
        }
        FOXWEDGE_TRY(found, look_up()); // may load a library: without the lock
        const std::lock_guard lock(mutex_);
        return found_.try_emplace(name, std::move(found)).first->second;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<T>, std::less<>> found_;
};

template <class T>
agent::Lookup<T> keeping(const agent::Lookup<T>& look_up) {
    if (!look_up) return look_up;
    return [look_up, kept = std::make_shared<Kept<T>>()](std::string_view name) {
        return kept->get(std::string(name), [&] { return look_up(name); });
    };
}

} // namespace

agent::World world_of_run(const agent::World& world) {
    agent::World own = world;
    own.provider = keeping(world.provider);
    own.capability = keeping(world.capability);
    own.mcp_server = keeping(world.mcp_server);
    own.strategy = keeping(world.strategy);
    own.app = keeping(world.app);
    if (world.guardrail)
        own.guardrail = [look_up = world.guardrail,
                         kept = std::make_shared<Kept<Guardrail>>()](const GuardrailUse& use) {
            return kept->get(use.use + "\n" + to_text(use.config), [&] { return look_up(use); });
        };
    return own;
}

} // namespace foxwedge::compose
