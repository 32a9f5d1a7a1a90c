import { prose } from './prose.ts';

/**
 * A body of about 38 kB and 1,100 strings shaped like a coding agent's eighth turn: no `instructions` but a leading developer
 * message, tools with JSON schemas, and a history of calls and outputs (docs/clients.md#what-a-codex-request-contains).
 */
export function agentBody(session: string, conversation: number): object {
  return {
    model: 'gpt-5.1',
    input: [
      message('developer', prose(5_600, 3)),
      message('user', `<environment_context>\n${prose(700, 4)}\n</environment_context>`),
      ...Array.from({ length: 25 }, (_, turn) => step(turn)).flat(),
      message('user', `Conversation ${conversation}: now run the tests again and report the failures.`),
    ],
    tools: Array.from({ length: 16 }, (_, index) => tool(index)),
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    text: { verbosity: 'low' },
    include: ['reasoning.encrypted_content'],
    stream: true,
    store: false,
    prompt_cache_key: session,
    client_metadata: { originator: 'bench', session_id: session, turn: '8' },
  };
}

const message = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'input_text', text }] });

/** One step of the agent: its reasoning, its call and the output. */
function step(turn: number): object[] {
  const callId = `call_${turn.toString(36).padStart(24, 'k')}`;
  const command = { command: ['bash', '-lc', `sed -n '1,120p' src/part${turn}/file.ts`], workdir: '/repo' };
  return [
    { type: 'reasoning', summary: [], content: null, encrypted_content: prose(120, 40 + turn) },
    { type: 'function_call', name: 'shell', arguments: JSON.stringify(command), call_id: callId },
    { type: 'function_call_output', call_id: callId, output: `Exit code: 0\nOutput:\n${prose(280, 80 + turn)}\n` },
  ];
}

const PARAMETER_NAMES = ['path', 'pattern', 'limit', 'recursive', 'reason'];

function tool(index: number): object {
  const parameters = PARAMETER_NAMES.slice(0, 3 + (index % 3)).map((name) => `${name}_${index}`);
  return {
    type: 'function',
    name: `tool_${index}`,
    description: prose(140, 120 + index),
    strict: false,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((name, position) => [name, property(position, index)])),
      required: parameters.slice(0, 2),
      additionalProperties: false,
    },
  };
}

function property(position: number, index: number): object {
  const description = prose(40 + 10 * position, 200 + 8 * index + position);
  if (position === 2) return { type: 'number', description };
  if (position === 3) return { type: 'array', description, items: { type: 'string' } };
  if (position === 4) return { type: 'string', description, enum: ['read', 'write', 'delete'] };
  return { type: 'string', description };
}
