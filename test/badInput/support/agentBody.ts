const parameters = (fields: Record<string, unknown>) => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
  additionalProperties: false,
});

/** The body of a coding agent in a tool loop, with every kind of item and tool (docs/clients.md#input-items-of-every-kind). */
export const agentBody = {
  model: 'gpt-5.1-codex',
  instructions:
    'You are a coding agent.\n\nRules:\n- Be brief.\n- Quote paths like "src/a b.ts" and C:\\temp.\n- Ünïcode, 漢字 and 🦊 are welcome.\t(tab)',
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: '<permissions>read-only</permissions>' }],
    },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Why does `npm test` fail?\n```\nError: \u001b[31mboom\u001b[0m\n```' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Look.' }],
      content: null,
      encrypted_content: 'gAAAAB==',
    },
    {
      type: 'function_call',
      name: 'shell',
      arguments: '{"command":["ls","-la"],"timeout_ms":1000}',
      call_id: 'call_1',
    },
    { type: 'function_call_output', call_id: 'call_1', output: 'total 8\r\n-rw-r--r-- 1 me me 0 a.ts' },
    {
      type: 'custom_tool_call',
      name: 'apply_patch',
      input: '*** Begin Patch\n*** End Patch',
      call_id: 'call_2',
      status: 'completed',
    },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done' },
    { role: 'assistant', content: 'It fails because of a typo.' },
    { role: 'user', content: 'Mend it.' },
  ],
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: 'Runs a command.',
      strict: false,
      parameters: parameters({
        command: { type: 'array', items: { type: 'string' } },
        timeout_ms: { type: ['number', 'null'], minimum: 0, maximum: 3.6e6, default: null },
      }),
    },
    { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"+' } },
    {
      type: 'namespace',
      name: 'image_gen',
      tools: [{ type: 'function', name: 'imagegen', parameters: parameters({}) }],
    },
    { type: 'web_search', external_web_access: false },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto', context: 'all_turns' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199a2b4-0000-7000-8000-000000000000',
  text: { verbosity: 'low', format: { type: 'text' } },
  service_tier: 'priority',
  client_metadata: { 'x-codex-turn': '1', ratio: 0.25, nothing: null, nested: [[], {}, [[1]]] },
};

export const agentText: string = JSON.stringify(agentBody);
