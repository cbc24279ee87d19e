// The official SDK's first client against a server of ours:
//   client-v1.mjs stdio PROGRAM ARGUMENTS… | client-v1.mjs http URL      prints what it saw as JSON
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { look } from './client-look.mjs';

const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {}, sampling: {}, roots: {} } });
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { username: 'rey', email: 'r@example.com', name: 'Rey' } }));
client.setRequestHandler(CreateMessageRequestSchema, async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }));
client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///tmp' }] }));
const logged = [];
client.setNotificationHandler(LoggingMessageNotificationSchema, (note) => { logged.push(note.params.data); });
const changes = [];
client.setNotificationHandler(ToolListChangedNotificationSchema, () => { changes.push(1); });

const [kind, target, ...args] = process.argv.slice(2);
const transport = kind === 'http' ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args });
await client.connect(transport);
await look(client, { changes, listens: async () => {}, logged, logs: async (level) => { await client.setLoggingLevel(level); }, call: (params, options) => client.callTool(params, undefined, options), completed: () => client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'pa' } }) });
