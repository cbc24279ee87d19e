/* A guardrail: a check that lets pass, changes or stops what goes by. This one stops prompts, and
 * denies calls of tools, in which one of the configured words stands. */
#include <foxwedge/guardrail.h>

#include "plugin.h"

typedef struct guard {
    foxwedge_guardrail api;
    char* words; /* each behind the other, ended by NUL; then an empty one */
} guard;

/* Adds every text in a value, whatever its form; of an object the values, not the names. */
static void gather(json value, json_out* said) {
    const int object = json_is(value, '{');
    json inside = value, element;
    if (json_is(value, '"')) {
        json_say(said, value);
        json_put(said, "\n", 1);
    }
    if (!object && !json_is(value, '[')) return;
    inside.at++;
    inside.end--;
    while (json_next(&inside, &element)) {
        if (object && !json_next(&inside, &element)) return;
        gather(element, said);
    }
}

/* Adds what stands in the messages of a prompt. */
static void gather_prompt(json prompt, json_out* said) {
    json messages = json_elements(prompt), message, block;
    while (json_next(&messages, &message)) {
        json blocks = json_elements(json_member(message, "content"));
        while (json_next(&blocks, &block)) gather(json_member(block, "text"), said);
    }
}

static foxwedge_status check(foxwedge_instance* self, uint32_t placement, foxwedge_str subject,
                             const foxwedge_call* call) {
    const guard* g = self->plugin_data;
    const json shown = json_whole(subject);
    json_out said = {NULL, 0, 0, 0}, verdict = {NULL, 0, 0, 0};
    const char* word;
    json_put(&said, "", 0);
    if (placement == FOXWEDGE_PLACEMENT_INPUT)
        gather_prompt(json_member(shown, "prompt"), &said);
    else
        gather(json_member(shown, "arguments"), &said);
    if (said.failed) {
        json_free(&said); /* any failure is a deny */
        return fail(call, FOXWEDGE_E_INTERNAL, "out_of_memory", "no memory to read the subject");
    }
    for (word = g->words; *word != '\0'; word += strlen(word) + 1)
        if (strstr(said.data, word) != NULL) break;
    json_free(&said);
    if (*word == '\0') {
        json_raw(&verdict, "{\"action\":\"allow\"}");
    } else {
        json_raw(&verdict, "{\"action\":\"deny\",\"message\":\"a word that is not wanted here\","
                           "\"reason\":");
        json_quote(&verdict, word, strlen(word));
        json_raw(&verdict, "}");
    }
    return give(call, &verdict);
}

static void destroy(foxwedge_instance* self) {
    guard* g = self->plugin_data;
    free(g->words);
    free(g);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    guard* g = calloc(1, sizeof *g);
    json words = json_elements(json_member(json_whole(config), "words")), word;
    json_out list = {NULL, 0, 0, 0};
    (void)self;
    (void)host;
    (void)call;
    while (json_next(&words, &word)) {
        json_say(&list, word);
        json_put(&list, "", 1); /* its NUL */
    }
    json_put(&list, "", 1);
    if (g == NULL || list.failed) {
        json_free(&list);
        free(g);
        return FOXWEDGE_E_TRANSIENT; /* nothing lasting has happened */
    }
    g->words = list.data;
    g->api.base.struct_size = sizeof g->api;
    g->api.base.flags = FOXWEDGE_CONCURRENT; /* nothing in it changes */
    g->api.base.plugin_data = g;
    g->api.base.destroy = destroy;
    g->api.placements = FOXWEDGE_PLACEMENT_INPUT | FOXWEDGE_PLACEMENT_TOOL_ARGS;
    g->api.check = check;
    *instance = &g->api.base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factory = {sizeof(foxwedge_factory), 0, STR(FOXWEDGE_KIND_GUARDRAIL),
                                         STR("@NAME@"), create};
PLUGIN_WITH(factory);
