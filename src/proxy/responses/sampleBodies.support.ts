export const codex = {
  model: 'gpt-5.1',
  stream: true,
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Be “brief”. \\ "quoted" \u2028 😀' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi {[' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAA'.repeat(20) },
    { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a\nb\n' },
  ],
  tools: [
    { type: 'function', name: 'shell', parameters: { type: 'object', properties: { a: {} } } },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'high' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0193-abc',
  client_metadata: { turn_id: '1' },
};

const openCode = {
  ...codex,
  max_output_tokens: 32_000,
  input: [
    { role: 'system', content: 'You are “opencode”.' },
    { role: 'user', content: 'hi' },
    { type: 'item_reference', id: 'known_1' },
    { type: 'item_reference', id: 'evicted' },
    { role: 'assistant', content: 'ok' },
    { role: 'system', content: 'last' },
  ],
};

export const sdk = {
  model: 'gpt-5.1',
  input: 'Say "hi" – please',
  temperature: 0.5,
  instructions: 'Be brief. '.repeat(20),
};

/** The provider accepts all but the input unchanged, and many values are long enough to be slots of the template. */
const desktop = {
  model: 'gpt-5.1',
  instructions: 'Be “brief”. '.repeat(15),
  client_metadata: { session: 's'.repeat(140) },
  input: 'Say "hi" – please',
  stream: true,
  tools: [{ type: 'function', name: 'shell', description: 'd'.repeat(90) }],
  store: false,
  reasoning: { effort: 'high' },
};

export const json = (value: unknown, indent?: number): Buffer => Buffer.from(JSON.stringify(value, null, indent));

/** Bodies like those of real clients. */
export const samples = { codex, openCode, sdk, desktop };

/** A valid body with additional members. */
export const bodyWith = (members: string) => `{"model":"m","input":"x",${members}}`;
