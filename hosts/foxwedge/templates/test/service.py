"""Answers one recorded response to every POST that has the key, 401 to the others; prints its port."""
import http.server
import json
import sys

RECORDED = json.load(open(sys.argv[1], encoding="utf-8"))


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        known = self.headers["authorization"] == "Bearer open-sesame"
        body = (RECORDED["body"] if known else '{"error": "no key"}').encode()
        self.send_response(RECORDED["status"] if known else 401)
        for name, value in (RECORDED["headers"] if known else {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
print(server.server_port, flush=True)
server.serve_forever()
