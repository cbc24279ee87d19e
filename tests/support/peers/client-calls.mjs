// Calls tools of a server through the official client and prints what came over the wire as JSON,
// {tools, results: [{result} | {error}]}; the calls, [{name, arguments}], come on stdin:
//   client-calls.mjs v1|auto|legacy|2026-07-28 stdio PROGRAM ARGUMENTS… | … http URL
import { text } from 'node:stream/consumers';

const [mode, kind, target, ...args] = process.argv.slice(2);
const first = mode === 'v1';
const { Client } = await import(first ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await import(first ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const { StreamableHTTPClientTransport } = await import(first ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');

const options = first ? {} : { versionNegotiation: { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } } };
const client = new Client({ name: 'calls', version: '1' }, { capabilities: {}, ...options });
const transport = kind === 'http' ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args, env: process.env });

// What the client made of an answer is its own; what it got is ours.
let answers = [];
transport.onmessage = (message) => { if ('result' in message || 'error' in message) answers.push(message); };
const wired = async (act) => {
  answers = [];
  let failed;
  try { await act(); } catch (error) { failed = error; }
  const [last] = answers.slice(-1);
  if (!last) throw failed ?? new Error('nothing came');
  // An answer that the official client refuses is a fault of ours.
  if (failed && 'result' in last) throw failed;
  return last.error ? { error: last.error } : { result: last.result };
};

await client.connect(transport);
const tools = (await wired(() => client.listTools())).result.tools;
const results = [];
for (const call of JSON.parse(await text(process.stdin))) results.push(await wired(() => client.callTool(call)));
console.log(JSON.stringify({ tools, results }));
await client.close();
