// The floor: the least that a WebSocket fan-out of one channel can cost.
//
// One thread, epoll, no parsing beyond what the load tool sends, no copies per subscriber: what has
// arrived when it wakes up becomes one buffer of ready frames, and each subscriber gets it with one
// send(). No server can be cheaper without avoiding the kernel. It is a yardstick, not a server:
// clients are trusted, a full socket makes everybody wait, and nothing is stored.
//
//   floor PORT     0 takes any free port; says "floor: listening on http://127.0.0.1:PORT"
//
// Frames from clients (masked with zeros, as syncbench does): "sub CHANNEL" subscribes and is
// answered with "ok"; "pub CHANNEL TEXT" sends TEXT to all subscribers. The channel's name is not
// looked at: there is one.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 1 << 20, INPUT_MAX = 1 << 20, COMMAND_BYTES = 4 + 8 };

static int subscribers[CLIENTS_MAX];
static int subscriber_count;
static char is_upgraded[CLIENTS_MAX];
static unsigned char input[INPUT_MAX];
static size_t carried;  // Bytes of an incomplete frame; there is one publisher at a time.
static unsigned char output[2 * INPUT_MAX];
static size_t output_length;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int listen_on(int port) {
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address)) die("floor: bind");
    if (listen(listener, 4096)) die("floor: listen");
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("floor: listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void take_connection(int poller, int listener) {
    int one = 1, bytes = 4 << 20, client = accept4(listener, NULL, NULL, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = client};
    if (client < 0 || client >= CLIENTS_MAX) die("floor: accept");
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(client, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    epoll_ctl(poller, EPOLL_CTL_ADD, client, &event);
}

static void drop(int client) {
    for (int i = 0; i < subscriber_count; i++)
        if (subscribers[i] == client) subscribers[i--] = subscribers[--subscriber_count];
    is_upgraded[client] = 0;
    close(client);
}

// The accept key is the one for the only Sec-WebSocket-Key that syncbench sends.
static void upgrade(int client) {
    static const char reply[] =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    if (recv(client, input, 4096, 0) <= 0) return drop(client);
    send(client, reply, sizeof reply - 1, MSG_NOSIGNAL);
    is_upgraded[client] = 1;
}

// RFC 6455, section 5.2: one unmasked text frame at the end of the output.
static void queue(const unsigned char *text, size_t length) {
    output[output_length++] = 0x81;
    if (length < 126) {
        output[output_length++] = length;
    } else {
        output[output_length++] = 126;
        output[output_length++] = length >> 8;
        output[output_length++] = length;
    }
    memcpy(output + output_length, text, length);
    output_length += length;
}

static void execute(int client, const unsigned char *text, size_t length) {
    if (length >= 4 && !memcmp(text, "sub ", 4)) {
        subscribers[subscriber_count++] = client;
        send(client, "\x81\x02ok", 4, MSG_NOSIGNAL);
    } else if (length >= COMMAND_BYTES && !memcmp(text, "pub ", 4)) {
        queue(text + COMMAND_BYTES, length - COMMAND_BYTES);
    }
}

static void read_frames(int client) {
    // The carried bytes are the publisher's; a subscriber never sends half a frame.
    ssize_t count = recv(client, input + carried, sizeof input - carried, 0);
    if (count <= 0) return drop(client);
    unsigned char *next = input, *end = input + carried + count;
    while (end - next >= 8) {
        size_t header = 6, length = next[1] & 127;
        if (length == 126) {
            length = next[2] << 8 | next[3];
            header = 8;
        }
        if ((size_t)(end - next) < header + length) break;
        // 8: a close frame.
        if ((next[0] & 15) == 8) return drop(client);
        execute(client, next + header, length);
        next += header + length;
    }
    carried = end - next;
    memmove(input, next, carried);
}

int main(int count, char **arguments) {
    int listener, poller = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN}, events[256];
    struct rlimit limit;
    if (count != 2) return fputs("usage: floor PORT\n", stderr), 2;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    event.data.fd = listener = listen_on(atoi(arguments[1]));
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poller, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int client = events[i].data.fd;
            if (client == listener) take_connection(poller, listener);
            else if (is_upgraded[client]) read_frames(client);
            else upgrade(client);
        }
        for (int i = 0; output_length && i < subscriber_count; i++)
            send(subscribers[i], output, output_length, MSG_NOSIGNAL);
        output_length = 0;
    }
}
