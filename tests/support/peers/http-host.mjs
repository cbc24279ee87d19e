// Serves an official server over HTTP on a free port of this machine and prints its URL.
import { createServer } from 'node:http';

export function serve(handle) {
  const server = createServer((request, response) => handle(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  // Ends with whoever started it.
  process.stdin.on('end', () => process.exit(0)).resume();
}

/// For servers that speak the web's Request and Response.
export async function throughFetch(fetch, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const answer = await fetch(new Request(`http://127.0.0.1${request.url}`, {
    method: request.method, headers: request.headers, signal: gone.signal,
    body: chunks.length ? Buffer.concat(chunks) : undefined,
  }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
}
