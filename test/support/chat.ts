import { expect } from 'vitest';

export const chatPath = '/v1/chat/completions';

/** The smallest valid chat. */
export const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'Say hi' }] };

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields
type Chunk = any;

/** The `data:` lines of a chat stream: parsed chunks, and the string `[DONE]`. Comments are skipped. */
export function chunksIn(text: string): Chunk[] {
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      expect(block.startsWith('data: ')).toBe(true);
      const data = block.slice(6);
      return data === '[DONE]' ? data : JSON.parse(data);
    });
}

export interface AssembledCall {
  id: string;
  name: string;
  args: string;
}

/** Assembles chunks like a client, by the index of the call. */
export function assembled(chunks: readonly Chunk[]) {
  const message = {
    text: '',
    refusal: '',
    reasoning: '',
    calls: [] as AssembledCall[],
    finishReason: undefined as unknown,
  };
  for (const { choices } of chunks) {
    for (const { delta, finish_reason: reason } of choices) {
      message.text += delta.content ?? '';
      message.refusal += delta.refusal ?? '';
      message.reasoning += delta.reasoning_content ?? '';
      for (const { index, id, function: fn } of delta.tool_calls ?? []) {
        if (id !== undefined) message.calls[index] = { id, name: fn.name, args: '' };
        (message.calls[index] as AssembledCall).args += fn.arguments;
      }
      message.finishReason = reason ?? message.finishReason;
    }
  }
  return message;
}

/** Reads a complete stream and expects one id, the role once and first, and `[DONE]` last. */
export async function readChatStream(response: Response) {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const chunks = chunksIn(await response.text());
  expect(chunks.pop()).toBe('[DONE]');
  const heads = chunks.map(({ id, created, model, object }) => JSON.stringify({ id, created, model, object }));
  expect(new Set(heads).size).toBe(1);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: Chunk) => delta));
  expect(deltas.map(({ role }) => role)).toEqual(['assistant', ...Array(deltas.length - 1).fill(undefined)]);
  return { chunks, deltas, ...assembled(chunks) };
}
