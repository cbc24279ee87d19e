/* The floor below an MCP round trip, in plain C.
 *   mcp-floor serve        the least JSON-RPC server that answers initialize and tools/call
 *   mcp-floor floor CALLS  a line echoed by a child over pipes, CALLS times: its median in µs
 *   mcp-floor drive CALLS PROGRAM ARGUMENTS…   the least client: start to first answer in ms, then
 *                          the medians in µs of CALLS calls of `echo` and of 60 lists of tools */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 20];
static size_t have, at;

static char* next_line(int fd) {
    for (;;) {
        char* end = memchr(buffer + at, '\n', have - at);
        if (end) {
            char* line = buffer + at;
            *end = 0;
            at = (size_t)(end - buffer) + 1;
            return line;
        }
        if (at) {
            memmove(buffer, buffer + at, have - at);
            have -= at;
            at = 0;
        }
        ssize_t got = read(fd, buffer + have, sizeof buffer - have);
        if (got <= 0) return NULL;
        have += (size_t)got;
    }
}

static void put(int fd, const char* text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t written = write(fd, text, left);
        if (written <= 0) exit(3);
        text += written;
        left -= (size_t)written;
    }
}

static int serve(void) {
    char out[4096];
    for (char* line; (line = next_line(0));) {
        const char* id = strstr(line, "\"id\":");
        if (!id) continue;
        const long number = atol(id + 5);
        if (strstr(line, "\"initialize\""))
            snprintf(
                out, sizeof out,
                "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":\"2025-06-18\","
                "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"c\",\"version\":"
                "\"1\"}}}\n",
                number);
        else if (strstr(line, "\"tools/call\"")) {
            char text[256] = "";
            const char* from = strstr(line, "\"text\":\"");
            if (from)
                for (size_t i = 0; i < 255 && from[8 + i] != '"'; ++i) text[i] = from[8 + i];
            snprintf(out, sizeof out,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\","
                     "\"text\":\"%s\"}]}}\n",
                     number, text);
        } else
            snprintf(
                out, sizeof out,
                "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n",
                number);
        put(1, out);
    }
    return 0;
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static int floor_of(int calls) {
    int down[2], up[2];
    if (pipe(down) || pipe(up)) return 2;
    if (fork() == 0) {
        close(down[1]);
        close(up[0]);
        char bytes[65536];
        ssize_t got;
        while ((got = read(down[0], bytes, sizeof bytes)) > 0)
            if (write(up[1], bytes, (size_t)got) != got) break;
        _exit(0);
    }
    double* times = malloc(sizeof(double) * (size_t)calls);
    const char* line =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"echo\",\"arguments\":{\"text\":\"hello world 1234\",\"n\":1234}}}\n";
    for (int i = 0; i < calls; ++i) {
        const double begin = now_us();
        put(down[1], line);
        if (!next_line(up[0])) return 4;
        times[i] = now_us() - begin;
    }
    qsort(times, (size_t)calls, sizeof *times, by_size);
    printf("%.2f\n", times[calls / 2]);
    return 0;
}

static double ask(int down, int up, const char* line) {
    const double begin = now_us();
    put(down, line);
    if (!next_line(up)) exit(4);
    return now_us() - begin;
}

static double median(double* times, int count) {
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

static int drive(int calls, char** command) {
    int down[2], up[2];
    if (pipe(down) || pipe(up)) return 2;
    const double start = now_us();
    if (fork() == 0) {
        dup2(down[0], 0);
        dup2(up[1], 1);
        for (int fd = 3; fd < 16; ++fd) close(fd);
        execvp(command[0], command);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    char line[512];
    ask(down[1], up[0],
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
        "\"name\":\"c\",\"version\":\"1\"}}}\n");
    const double first = now_us() - start;
    put(down[1], "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    double* times = malloc(sizeof(double) * (size_t)calls);
    for (int i = -200; i < calls; ++i) {
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
                 "\"name\":\"echo\",\"arguments\":{\"text\":\"hello world %d\",\"n\":%d}}}\n",
                 i + 1000, i, i);
        const double took = ask(down[1], up[0], line);
        if (i >= 0) times[i] = took;
    }
    double lists[60];
    for (int i = 0; i < 60; ++i) {
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}\n",
                 900000 + i);
        lists[i] = ask(down[1], up[0], line);
    }
    printf("%.3f %.2f %.2f\n", first / 1000, median(times, calls), median(lists, 60));
    close(down[1]);
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 1 && !strcmp(argv[1], "serve")) return serve();
    if (argc > 3 && !strcmp(argv[1], "drive")) return drive(atoi(argv[2]), argv + 3);
    if (argc > 2 && !strcmp(argv[1], "floor")) return floor_of(atoi(argv[2]));
    return 2;
}
