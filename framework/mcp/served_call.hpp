// The way back to the client for one request. Private to this layer.
#pragma once
#include "mcp/server_session.hpp"

namespace foxwedge::mcp {

/// One of MCP's, which are syslog's.
bool is_log_level(std::string_view);

class ServedCall final : public Served {
public:
    ServedCall(ServerSession& session, const ServerSession::Caller& caller, const Request& request,
               Outlet& outlet, std::stop_token stop);

    const Until& until() const override { return until_; }
    const Json& meta() const override { return meta_; }
    void progress(double done, std::optional<double> total, std::string_view message) override;
    void log(std::string_view level, const Json& data) override;
    Result<Json> ask(std::string_view key, std::string_view method, const Json& params,
                     const std::stop_token& taken_back) override;
    const Json& kept() const override { return kept_; }
    void keep(Json state) override { keep_ = std::move(state); }
    bool can_follow() const override;
    void go_on_as(Json task) override { task_ = std::move(task); }
    bool can_ask(std::string_view method) const override;
    std::string_view user() const override { return session_.traits_.user; }
    void hang_up(Millis retry) override { outlet_.hang_up(retry); }

    bool modern() const { return caller_.era == Era::modern; }
    /// False where the client gave back a state that is not ours.
    bool state_is_ours() const { return state_is_ours_; }
    /// The answer that asks for what `ask` could not get.
    ServerSession::Answer input_required() const;
    /// The answer that there is a task.
    ServerSession::Answer task() const;
    /// What an exception of a handler becomes.
    ServerSession::Answer threw(const char* what) const;
    /// What an error of a handler becomes outside of tools, which answer with isError.
    ServerSession::Answer failed(const Error&) const;

private:
    bool client_can(std::string_view method, const Json& params, Json& wanted) const;
    Result<Json> ask_now(std::string_view method, const Json& params,
                         const std::stop_token& taken_back);
    std::string purpose() const;

    ServerSession& session_;
    const ServerSession::Caller& caller_;
    const Request& request_;
    Outlet& outlet_;
    Until until_;
    Json meta_, kept_, keep_;
    Json progress_token_;
    JsonObject asked_;
    Json task_;
    Json missing_; ///< capabilities that a question needed
    bool state_is_ours_ = true;
};

} // namespace foxwedge::mcp
