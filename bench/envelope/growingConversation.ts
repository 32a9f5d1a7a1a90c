import { agentBody } from '../throughput/agentBody.ts';
import type { RequestBody } from '../throughput/bodies.ts';
import { prose } from '../throughput/prose.ts';

/** @returns the last `turns` bodies of a conversation whose last body has about `bytes`; each turn adds one step */
export function growingConversation(bytes: number, turns: number): readonly RequestBody[] {
  const session = '0193b2c4-7d1e-7a00-8c00-00000000ffff';
  const body = agentBody(session, 0) as { input: object[] };
  const stepsNeeded = Math.max(
    turns,
    Math.ceil((bytes - JSON.stringify(body).length) / JSON.stringify(step(0)).length),
  );
  for (let index = 0; index < stepsNeeded - turns; index++) body.input.push(...step(index));
  return Array.from({ length: turns }, (_, turn) => {
    body.input.push(...step(stepsNeeded - turns + turn));
    return { session, json: JSON.stringify(body) };
  });
}

/** What an agent adds in a turn: reasoning, a call and its output. */
function step(index: number): object[] {
  const callId = `call_${index.toString(36).padStart(24, 's')}`;
  return [
    { type: 'reasoning', summary: [], content: null, encrypted_content: prose(400, 7 + index) },
    {
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ command: ['rg', prose(30, index)] }),
      call_id: callId,
    },
    { type: 'function_call_output', call_id: callId, output: `Exit code: 0\nOutput:\n${prose(1_200, 9 + index)}\n` },
  ];
}
