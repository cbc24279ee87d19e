// The official SDK's second client against a server of ours, negotiating as MODE says:
//   client-v2.mjs auto|legacy|2026-07-28 stdio PROGRAM ARGUMENTS… | … http URL      prints JSON
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { look } from './client-look.mjs';

const [mode, kind, target, ...args] = process.argv.slice(2);
const client = new Client({ name: 'v2', version: '1' }, {
  capabilities: { elicitation: {}, sampling: {}, roots: {} },
  versionNegotiation: { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } },
});
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { username: 'rey', email: 'r@example.com', name: 'Rey' } }));
client.setRequestHandler('sampling/createMessage', async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }));
client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///tmp' }] }));
const logged = [];
client.setNotificationHandler('notifications/message', (note) => { logged.push(note.params.data); });
// Since 2026-07-28 each request says for itself what it wants to hear.
const logs = async (level) => (mode === 'legacy' ? void await client.setLoggingLevel(level) : { 'io.modelcontextprotocol/logLevel': level });
const changes = [];
client.setNotificationHandler('notifications/tools/list_changed', () => { changes.push(1); });
const listens = async () => { if (mode !== 'legacy') await client.listen({ toolsListChanged: true }); };

const transport = kind === 'http' ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args });
await client.connect(transport);
await look(client, { changes, listens, logged, logs, call: (params, options) => client.callTool(params, options), completed: () => client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'pa' } }) });
