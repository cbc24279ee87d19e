/* json.h: as much JSON as a small plugin needs. The host hands over complete, valid texts, so a
 * value is a piece of that text, and nothing is copied before it is asked for. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foxwedge/abi.h>

/* One value within a text that somebody else keeps; missing: at == end. */
typedef struct json {
    const char* at;
    const char* end;
} json;

static inline const char* json_blank(const char* at, const char* end) {
    while (at < end &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == ',' || *at == ':'))
        at++;
    return at;
}

/* Behind the value that begins at `at`. */
static inline const char* json_behind(const char* at, const char* end) {
    int depth = 0;
    do {
        if (at >= end) return end;
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                if (*at == '\\') at++;
            at++;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (depth > 0) {
            at++;
        } else {
            while (at < end && strchr(",]} \t\n\r", *at) == NULL) at++;
        }
    } while (depth > 0);
    return at < end ? at : end;
}

static inline json json_value(const char* at, const char* end) {
    json value;
    value.at = json_blank(at, end);
    value.end = json_behind(value.at, end);
    return value;
}

static inline json json_whole(foxwedge_str text) {
    return json_value(text.data, text.data + text.size);
}

static inline int json_is(json value, char first) {
    return value.at < value.end && *value.at == first;
}

/* What stands between the brackets of an array, to go through with json_next. */
static inline json json_elements(json array) {
    json none = {NULL, NULL};
    if (!json_is(array, '[')) return none;
    array.at++;
    array.end--;
    return array;
}

/* Takes the next element off; 0 when there are no more. */
static inline int json_next(json* elements, json* element) {
    const char* at = json_blank(elements->at, elements->end);
    if (at >= elements->end) return 0;
    *element = json_value(at, elements->end);
    elements->at = element->end;
    return 1;
}

/* The member `name` of an object; missing where there is none. */
static inline json json_member(json object, const char* name) {
    const size_t size = strlen(name);
    json key, value, none = {NULL, NULL};
    const char* at;
    if (!json_is(object, '{')) return none;
    for (at = json_blank(object.at + 1, object.end); at < object.end && *at == '"';
         at = json_blank(value.end, object.end)) {
        key = json_value(at, object.end);
        value = json_value(key.end, object.end);
        if ((size_t)(key.end - key.at) == size + 2 && memcmp(key.at + 1, name, size) == 0)
            return value;
    }
    return none;
}

/* Any number, a fraction or an exponent too; `otherwise` for what is none. */
static inline double json_number(json value, double otherwise) {
    char digits[400]; /* a double has no more than 309 before its point */
    const size_t size = (size_t)(value.end - value.at);
    if (size == 0 || size >= sizeof digits || strchr("-0123456789", *value.at) == NULL)
        return otherwise;
    memcpy(digits, value.at, size);
    digits[size] = '\0';
    return strtod(digits, NULL);
}

static inline long long json_integer(json value, long long otherwise) {
    char digits[24];
    const size_t size = (size_t)(value.end - value.at);
    if (size == 0 || size >= sizeof digits || *value.at == '"') return otherwise;
    memcpy(digits, value.at, size);
    digits[size] = '\0';
    return strtoll(digits, NULL, 10);
}

/* A text that grows; `failed` once there was no memory for it. */
typedef struct json_out {
    char* data;
    size_t size, room;
    int failed;
} json_out;

static inline void json_put(json_out* out, const char* text, size_t size) {
    const size_t most = (size_t)1 << 30;
    if (out->failed || size > most || out->size > most) {
        out->failed = 1;
        return;
    }
    if (out->size + size + 1 > out->room) {
        const size_t room = 2 * (out->size + size) + 64;
        char* more = (char*)realloc(out->data, room);
        if (more == NULL) {
            out->failed = 1;
            return;
        }
        out->data = more;
        out->room = room;
    }
    memcpy(out->data + out->size, text, size);
    out->size += size;
    out->data[out->size] = '\0';
}

/* JSON as it stands. */
static inline void json_raw(json_out* out, const char* text) {
    json_put(out, text, strlen(text));
}

/* A text as a JSON string. */
static inline void json_quote(json_out* out, const char* text, size_t size) {
    char escaped[8];
    size_t n;
    json_put(out, "\"", 1);
    for (n = 0; n < size; n++) {
        const unsigned char c = (unsigned char)text[n];
        if (c == '"' || c == '\\') {
            json_put(out, "\\", 1);
            json_put(out, text + n, 1);
        } else if (c < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            json_raw(out, escaped);
        } else {
            json_put(out, text + n, 1);
        }
    }
    json_put(out, "\"", 1);
}

static inline void json_code_point(json_out* out, unsigned long c) {
    char utf8[4];
    size_t size = 0;
    if (c < 0x80) {
        utf8[size++] = (char)c;
    } else if (c < 0x800) {
        utf8[size++] = (char)(0xC0 | c >> 6);
        utf8[size++] = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        utf8[size++] = (char)(0xE0 | c >> 12);
        utf8[size++] = (char)(0x80 | (c >> 6 & 0x3F));
        utf8[size++] = (char)(0x80 | (c & 0x3F));
    } else {
        utf8[size++] = (char)(0xF0 | c >> 18);
        utf8[size++] = (char)(0x80 | (c >> 12 & 0x3F));
        utf8[size++] = (char)(0x80 | (c >> 6 & 0x3F));
        utf8[size++] = (char)(0x80 | (c & 0x3F));
    }
    json_put(out, utf8, size);
}

static inline unsigned long json_unit(const char* at, const char* end) {
    char digits[5] = "0";
    if (end - at >= 4) memcpy(digits, at, 4);
    digits[4] = '\0';
    return strtoul(digits, NULL, 16);
}

/* What a JSON string says, appended to `out`; nothing for a value that is none. */
static inline void json_say(json_out* out, json string) {
    const char *at = string.at + 1, *end = string.end - 1;
    if (!json_is(string, '"')) return;
    for (; at < end; at++) {
        unsigned long c;
        if (*at != '\\') {
            json_put(out, at, 1);
            continue;
        }
        at++;
        switch (*at) {
        case 'n':
            json_put(out, "\n", 1);
            break;
        case 't':
            json_put(out, "\t", 1);
            break;
        case 'r':
            json_put(out, "\r", 1);
            break;
        case 'b':
            json_put(out, "\b", 1);
            break;
        case 'f':
            json_put(out, "\f", 1);
            break;
        case 'u':
            c = json_unit(at + 1, end);
            at += 4;
            if (c >= 0xD800 && c < 0xDC00 && end - at > 6 && at[1] == '\\' && at[2] == 'u') {
                c = 0x10000 + ((c - 0xD800) << 10) + (json_unit(at + 3, end) - 0xDC00);
                at += 6;
            }
            json_code_point(out, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
            break;
        default:
            json_put(out, at, 1);
        }
    }
}

static inline void json_free(json_out* out) {
    free(out->data);
    out->data = NULL;
}

#endif
