// What both official clients do with a server, and what they saw of it.
const text = (result) => result.content.map((block) => block.text).join('\n');

/// The code of the error that `act` fails with.
async function code(act) {
  try {
    await act();
    return 'none';
  } catch (error) {
    return error.code ?? error.name;
  }
}

/// `logs` asks for the server's log at a level: before the call, or as what goes into its `_meta`.
/// `listens` asks to hear of changed tools; each that is heard goes into `changes`.
export async function look(client, { call, completed, logged, logs, changes, listens }) {
  const seen = { server: client.getServerVersion()?.name };
  const { tools } = await client.listTools();
  seen.tools = tools.map((tool) => tool.name);
  seen.simple = text(await client.callTool({ name: 'test_simple_text', arguments: {} }));
  const progress = [];
  seen.worked = text(await call({ name: 'test_tool_with_progress', arguments: {} }, { onprogress: (p) => progress.push(p.progress) }));
  seen.progress = progress;
  seen.failed = (await client.callTool({ name: 'test_error_handling', arguments: {} })).isError;
  seen.unknown = await code(() => client.callTool({ name: 'nope', arguments: {} }));
  seen.elicited = text(await client.callTool({ name: 'test_elicitation', arguments: { message: 'who?' } }));
  seen.sampled = text(await client.callTool({ name: 'test_sampling', arguments: { prompt: 'hi' } }));
  seen.roots = text(await client.callTool({ name: 'test_input_required_result_list_roots', arguments: {} }));
  for (const level of ['warning', 'info']) {
    logged.length = 0;
    await client.callTool({ name: 'test_logging_tool', arguments: {}, _meta: await logs(level) });
    seen[`logged_at_${level}`] = logged.length;
  }
  await listens();
  // Until the stream beside the calls stands a change may go unheard.
  for (let i = 0; i < 100 && changes.length === 0; i++) {
    await client.callTool({ name: 'test_trigger_tool_change', arguments: {} });
    await new Promise((later) => setTimeout(later, 50));
  }
  seen.heard_of_change = changes.length > 0;
  seen.rounds = text(await client.callTool({ name: 'test_input_required_result_multi_round', arguments: {} }));
  seen.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  seen.prompt = (await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } })).messages[0].content.text;
  seen.resource = (await client.readResource({ uri: 'test://static-text' })).contents[0].text;
  seen.template = (await client.readResource({ uri: 'test://template/7/data' })).contents[0].text;
  seen.missing = await code(() => client.readResource({ uri: 'test://nowhere' }));
  seen.completion = (await completed()).completion.values;
  console.log(JSON.stringify(seen));
  await client.close();
}
