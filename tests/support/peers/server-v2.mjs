// A server of the official SDK, second generation: both eras, or with the argument "reject"
// 2026-07-28 only; over stdio, or with a further argument "http" over Streamable HTTP.
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { serve, throughFetch } from './http-host.mjs';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const make = () => {
  const server = new McpServer({ name: 'peer-v2', version: '1.0.0' }, { instructions: 'Test peer.' });
  server.registerTool('add', { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }), annotations: { readOnlyHint: true } }, async ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }));
  server.registerTool('fail', { description: 'Always fails', inputSchema: z.object({}) }, async () => ({ ...text('it failed'), isError: true }));
  server.registerTool('ask', { description: 'Needs input', inputSchema: z.object({}) }, async (args, context) => {
    const name = context?.mcpReq?.inputResponses?.name ?? context?.inputResponses?.name;
    if (name) return text(`hello ${name.content?.name ?? '?'}`);
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }) }, requestState: 'waiting' });
  });
  return server;
};
const legacy = process.argv[2] === 'reject' ? 'reject' : 'serve';
if (process.argv[3] === 'http') {
  const handler = createMcpHandler(make, { legacy: legacy === 'serve' ? 'stateless' : legacy });
  serve((request, response) => throughFetch((asked) => handler.fetch(asked), request, response));
} else {
  serveStdio(make, { legacy });
}
