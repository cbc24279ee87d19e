// A server of the official SDK, first generation (handshake era), over stdio.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const server = new McpServer({ name: 'peer-v1', version: '1.0.0' });
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

server.registerTool('add', { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } }, async ({ a, b }) => text(a + b));
server.registerTool('fail', { description: 'Always fails' }, async () => ({ ...text('it failed'), isError: true }));
server.registerTool('slow', { description: 'Reports progress', inputSchema: { steps: z.number().int() } }, async ({ steps }, extra) => {
  for (let i = 1; i <= steps; i++)
    await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: extra._meta?.progressToken, progress: i, total: steps } });
  return text('done');
});
await server.connect(new StdioServerTransport());
