/* A provider: an adapter to a service that answers with a model. The service of this one takes
 * {"model", "prompt"} and streams events of one line of JSON each, {"text": "..."}, the last of
 * them {"done": true, "usage": {"input", "output"}}. Put the wire format of yours in its place. */
#include <foxwedge/provider.h>
#include <foxwedge/services.h>

#include "plugin.h"

typedef struct provider {
    foxwedge_provider api;
    const foxwedge_http* http;
    json_out url, secret; /* the key's name: its value is the host's alone */
} provider;

static const char traits[] =
    "{\"nativeTranscript\":false,\"tools\":false,\"structuredOutput\":\"none\","
    "\"streaming\":true,\"parallelCalls\":false,\"reasoningReplay\":false}";

static foxwedge_status describe(foxwedge_instance* self, const foxwedge_call* call) {
    (void)self;
    call->set_result(call, str(traits));
    return FOXWEDGE_OK;
}

/* The answer while it comes in. */
typedef struct answer {
    const foxwedge_call* call;
    long long status;
    long long retry_after; /* seconds; -1: not said */
    json_out line;         /* bytes: a character may be cut in two */
    json_out text, usage;
    int done;
} answer;

static foxwedge_status take_head(void* data, foxwedge_str head) {
    answer* a = data;
    const json wait = json_member(json_member(json_whole(head), "headers"), "retry-after");
    a->status = json_integer(json_member(json_whole(head), "status"), 0);
    a->retry_after = json_is(wait, '"') ? strtoll(wait.at + 1, NULL, 10) : -1;
    return FOXWEDGE_OK;
}

/* One event of the stream. */
static foxwedge_status take_line(answer* a) {
    json event, text;
    json_out payload = {NULL, 0, 0, 0};
    foxwedge_status status = FOXWEDGE_OK;
    if (a->line.size < 6 || memcmp(a->line.data, "data: ", 6) != 0) return FOXWEDGE_OK;
    event = json_whole(str(a->line.data + 6));
    text = json_member(event, "text");
    if (json_is(text, '"')) {
        json_say(&a->text, text);
        json_raw(&payload, "{\"text\":");
        json_put(&payload, text.at, (size_t)(text.end - text.at));
        json_raw(&payload, "}");
        if (!payload.failed)
            status = a->call->emit(a->call, FOXWEDGE_EVENT_TEXT, str(payload.data));
        json_free(&payload);
    }
    if (json_is(json_member(event, "done"), 't')) {
        const json usage = json_member(event, "usage");
        a->done = 1;
        if (json_is(usage, '{')) json_put(&a->usage, usage.at, (size_t)(usage.end - usage.at));
    }
    return status;
}

static foxwedge_status take_chunk(void* data, foxwedge_str bytes) {
    answer* a = data;
    size_t n;
    if (a->status != 200) return FOXWEDGE_OK; /* a refusal: its status says enough */
    for (n = 0; n < bytes.size; n++) {
        foxwedge_status status;
        if (bytes.data[n] != '\n') {
            json_put(&a->line, bytes.data + n, 1);
            if (a->line.failed) return FOXWEDGE_E_INTERNAL;
            continue;
        }
        status = take_line(a);
        a->line.size = 0;
        if (status != FOXWEDGE_OK) return status; /* the host wants the call to end */
    }
    return FOXWEDGE_OK;
}

/* What agents know about refusals: docs/providers. */
static foxwedge_status refused(const answer* a) {
    const char* code = "invalid_request";
    foxwedge_status status = FOXWEDGE_E_INVALID;
    char details[96];
    if (a->status >= 401 && a->status <= 403) code = "unauthorized";
    if (a->status == 429) code = "rate_limited", status = FOXWEDGE_E_TRANSIENT;
    if (a->status == 503 || a->status == 529) code = "overloaded", status = FOXWEDGE_E_TRANSIENT;
    if (a->status == 408 || a->status == 504) code = "timeout", status = FOXWEDGE_E_UNKNOWN;
    if (a->status == 500 || a->status == 502) code = "server_error", status = FOXWEDGE_E_UNKNOWN;
    if (a->retry_after >= 0)
        snprintf(details, sizeof details, "{\"httpStatus\":%lld,\"retryAfterMs\":%lld}", a->status,
                 a->retry_after * 1000);
    else
        snprintf(details, sizeof details, "{\"httpStatus\":%lld}", a->status);
    a->call->set_error(a->call, str(code), str("the service refused the request"), str(details));
    return status;
}

/* The text of all messages, one below the other. */
static void gather_prompt(json request, json_out* prompt) {
    json messages = json_elements(json_member(request, "messages")), message, block;
    json_say(prompt, json_member(request, "system"));
    while (json_next(&messages, &message)) {
        json blocks = json_elements(json_member(message, "content"));
        while (json_next(&blocks, &block)) {
            json_raw(prompt, "\n");
            json_say(prompt, json_member(block, "text"));
        }
    }
}

static void write_request(const provider* p, json request, json_out* out) {
    const json model = json_member(request, "model");
    json_out body = {NULL, 0, 0, 0}, prompt = {NULL, 0, 0, 0};
    json_put(&prompt, "", 0);
    gather_prompt(request, &prompt);
    json_raw(&body, "{\"model\":");
    json_put(&body, model.at, (size_t)(model.end - model.at));
    json_raw(&body, ",\"prompt\":");
    if (!prompt.failed) json_quote(&body, prompt.data, prompt.size);
    json_raw(&body, "}");
    json_raw(out, "{\"method\":\"POST\",\"url\":");
    json_quote(out, p->url.data, p->url.size);
    json_raw(out, ",\"headers\":{\"content-type\":\"application/json\",\"authorization\":"
                  "{\"secret\":");
    json_quote(out, p->secret.data, p->secret.size);
    json_raw(out, ",\"prefix\":\"Bearer \"}},\"body\":");
    if (!body.failed) json_quote(out, body.data, body.size);
    json_raw(out, "}");
    out->failed = out->failed || body.failed || prompt.failed;
    json_free(&body);
    json_free(&prompt);
}

static foxwedge_status give_answer(const answer* a, json request) {
    const json model = json_member(request, "model");
    json_out result = {NULL, 0, 0, 0};
    if (!a->done)
        return fail(a->call, FOXWEDGE_E_UNKNOWN, "connection_lost",
                    "the stream ended before the answer did");
    if (a->text.size == 0)
        return fail(a->call, FOXWEDGE_E_TRANSIENT, "empty_response", "the model answered nothing");
    json_raw(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
    json_quote(&result, a->text.data, a->text.size);
    json_raw(&result, "}],\"stop\":\"end\",\"usage\":");
    json_raw(&result, a->usage.size > 0 ? a->usage.data : "{}");
    json_raw(&result, ",\"model\":");
    json_put(&result, model.at, (size_t)(model.end - model.at));
    json_raw(&result, "}");
    result.failed = result.failed || a->text.failed || a->usage.failed;
    return give(a->call, &result);
}

static foxwedge_status generate(foxwedge_instance* self, foxwedge_str request,
                                const foxwedge_call* call) {
    const provider* p = self->plugin_data;
    const json asked = json_whole(request);
    json_out post = {NULL, 0, 0, 0};
    foxwedge_http_receiver receiver = {sizeof receiver, 0, NULL, take_head, take_chunk, NULL};
    foxwedge_status status;
    answer a;
    memset(&a, 0, sizeof a);
    a.call = call;
    a.retry_after = -1;
    receiver.data = &a;
    write_request(p, asked, &post);
    status =
        post.failed ? FOXWEDGE_E_INTERNAL : p->http->send(call, p->http, str(post.data), &receiver);
    json_free(&post);
    /* A status of the service is passed on with its own error, unless the answer was whole. */
    if (status == FOXWEDGE_OK || a.done)
        status = a.status == 200 ? give_answer(&a, asked) : refused(&a);
    json_free(&a.line);
    json_free(&a.text);
    json_free(&a.usage);
    return status;
}

static void destroy(foxwedge_instance* self) {
    provider* p = self->plugin_data;
    json_free(&p->url);
    json_free(&p->secret);
    free(p);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    const foxwedge_http* http = host->service(host, str(FOXWEDGE_SERVICE_HTTP));
    provider* p;
    (void)self;
    if (http == NULL)
        return fail(call, FOXWEDGE_E_UNSUPPORTED, "unavailable", "this host has no http");
    p = calloc(1, sizeof *p);
    if (p == NULL) return FOXWEDGE_E_TRANSIENT; /* nothing lasting has happened */
    json_say(&p->url, json_member(json_whole(config), "url"));
    json_say(&p->secret, json_member(json_member(json_whole(config), "key"), "secret"));
    p->http = http;
    p->api.base.struct_size = sizeof p->api;
    p->api.base.flags = FOXWEDGE_CONCURRENT; /* nothing in it changes */
    p->api.base.plugin_data = p;
    p->api.base.destroy = destroy;
    p->api.describe = describe;
    p->api.generate = generate;
    *instance = &p->api.base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factory = {sizeof(foxwedge_factory), 0, STR(FOXWEDGE_KIND_PROVIDER),
                                         STR("@NAME@"), create};
PLUGIN_WITH(factory);
