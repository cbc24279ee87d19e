// A server of the official SDK, second generation, over stdio: both eras, or with the argument
// "reject" 2026-07-28 only.
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

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
serveStdio(make, { legacy: process.argv[2] === 'reject' ? 'reject' : 'serve' });
