// The fake host's `http` service, backed by the framework's own client: real bytes over loopback.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "http/client.hpp"
#include "rig.hpp"

namespace provider_test {

class Bridge {
public:
    /// `origin` is open to the rig; `secrets` are sent to it alone.
    Bridge(std::string origin, std::map<std::string, std::string> secrets = {});
    /// Connects the rig's http service to the network.
    void attach(Rig&);
    /// Given to every request: to stop them from outside.
    foxwedge::Until until;

private:
    foxwedge_status send(const Value& request, const foxwedge_http_receiver&);

    std::unique_ptr<foxwedge::http::Client> client_;
    foxwedge::http::Caller caller_;
};

} // namespace provider_test
