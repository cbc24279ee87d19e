// A server of the official SDK, second generation: both eras, or with the argument "reject"
// 2026-07-28 only; over stdio, or with a further argument "http" over Streamable HTTP.
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { serve, throughFetch } from './http-host.mjs';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
let handler;
const make = () => {
  const server = new McpServer({ name: 'peer-v2', version: '1.0.0' }, { instructions: 'Test peer.', capabilities: { logging: {} } });
  server.registerTool('add', { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }), annotations: { readOnlyHint: true } }, async ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }));
  server.registerTool('fail', { description: 'Always fails', inputSchema: z.object({}) }, async () => ({ ...text('it failed'), isError: true }));
  server.registerTool('ask', { description: 'Needs input', inputSchema: z.object({}) }, async (args, context) => {
    const name = context?.mcpReq?.inputResponses?.name ?? context?.inputResponses?.name;
    if (name) return text(`hello ${name.content?.name ?? '?'}`);
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }) }, requestState: 'waiting' });
  });
  server.registerTool('log', { description: 'Logs at two levels', inputSchema: z.object({}) }, async (args, context) => {
    for (const level of ['info', 'warning']) await context.mcpReq.log(level, `said at ${level}`);
    return text('logged');
  });
  let more = 0;
  server.registerTool('change', { description: 'Adds a tool, or says so', inputSchema: z.object({}) }, async () => {
    if (handler) handler.notify.toolsChanged();
    else server.registerTool(`more${more++}`, { description: 'One more', inputSchema: z.object({}) }, async () => text('more'));
    return text('changed');
  });
  return server;
};
const legacy = process.argv[2] === 'reject' ? 'reject' : 'serve';
if (process.argv[3] === 'http') {
  handler = createMcpHandler(make, { legacy: legacy === 'serve' ? 'stateless' : legacy });
  serve((request, response) => throughFetch((asked) => handler.fetch(asked), request, response));
} else {
  serveStdio(make, { legacy });
}
