// A server of the official SDK, first generation (handshake era), over stdio, or with the argument
// "http" over Streamable HTTP with sessions.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';
import { serve } from './http-host.mjs';

const server = new McpServer({ name: 'peer-v1', version: '1.0.0' }, { capabilities: { logging: {} } });
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

server.registerTool('add', { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } }, async ({ a, b }) => text(a + b));
server.registerTool('fail', { description: 'Always fails' }, async () => ({ ...text('it failed'), isError: true }));
server.registerTool('slow', { description: 'Reports progress', inputSchema: { steps: z.number().int() } }, async ({ steps }, extra) => {
  for (let i = 1; i <= steps; i++)
    await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: extra._meta?.progressToken, progress: i, total: steps } });
  return text('done');
});
server.registerTool('log', { description: 'Logs at two levels' }, async (extra) => {
  for (const level of ['info', 'warning']) await server.sendLoggingMessage({ level, data: `said at ${level}` }, extra.sessionId);
  return text('logged');
});
let more = 0;
server.registerTool('change', { description: 'Adds a tool' }, async () => {
  server.registerTool(`more${more++}`, { description: 'One more' }, async () => text('more'));
  return text('changed');
});
if (process.argv[2] === 'http') {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await server.connect(transport);
  serve((request, response) => transport.handleRequest(request, response));
} else {
  await server.connect(new StdioServerTransport());
}
