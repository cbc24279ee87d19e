// A tool call between the official client and server of each generation, over both transports, one
// JSON object a line: pair-bench.mjs [CALLS]
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const here = dirname(fileURLToPath(import.meta.url)), count = +(process.argv[2] ?? 1000);
const generations = {
  v1: { Client: v1.Client, Stdio: Stdio1, Http: Http1, args: ['server-v1.mjs'], http: ['http'] },
  v2: { Client: v2.Client, Stdio: Stdio2, Http: v2.StreamableHTTPClientTransport, args: ['server-v2.mjs'], http: ['serve', 'http'] },
};

async function measure(client) {
  const times = [];
  for (let n = 0; n < count + 300; n++) {
    const begin = process.hrtime.bigint();
    await client.callTool({ name: 'add', arguments: { a: n, b: 1 } });
    if (n >= 300) times.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
  await client.close();
  return +times.sort((a, b) => a - b)[times.length >> 1].toFixed(1);
}

for (const [name, { Client, Stdio, Http, args, http }] of Object.entries(generations)) {
  const server = [join(here, args[0]), ...args.slice(1)];
  const piped = new Client({ name: 'bench', version: '1' });
  await piped.connect(new Stdio({ command: process.execPath, args: server, stderr: 'ignore' }));
  const stdio_us = await measure(piped);
  const child = spawn(process.execPath, [...server, ...http], { stdio: ['pipe', 'pipe', 'ignore'] });
  const url = await new Promise((found) => createInterface(child.stdout).once('line', found));
  const dialled = new Client({ name: 'bench', version: '1' });
  await dialled.connect(new Http(new URL(url)));
  const http_us = await measure(dialled);
  child.stdin.end();
  console.log(JSON.stringify({ bench: 'mcp-official-pair', generation: name, stdio_us, http_us }));
}
process.exit(0);
