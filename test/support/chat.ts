import { expect } from 'vitest';

export const chatPath = '/v1/chat/completions';

/** A chat as small as it may be. */
export const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'Say hi' }] };

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it is after
type Chunk = any;

/** What stands in the `data:` lines of a chat stream: chunks, and `[DONE]` as it is. Comments are passed over. */
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

export interface ToldCall {
  id: string;
  name: string;
  args: string;
}

/** Puts chunks together as clients do: by the index of the call. */
export function assembled(chunks: readonly Chunk[]) {
  const answer = { text: '', refusal: '', reasoning: '', calls: [] as ToldCall[], finishReason: undefined as unknown };
  for (const { choices } of chunks) {
    for (const { delta, finish_reason: reason } of choices) {
      answer.text += delta.content ?? '';
      answer.refusal += delta.refusal ?? '';
      answer.reasoning += delta.reasoning_content ?? '';
      for (const { index, id, function: fn } of delta.tool_calls ?? []) {
        if (id !== undefined) answer.calls[index] = { id, name: fn.name, args: '' };
        (answer.calls[index] as ToldCall).args += fn.arguments;
      }
      answer.finishReason = reason ?? answer.finishReason;
    }
  }
  return answer;
}

/** A stream that was told to its end: one id, the role once and first, `[DONE]` last. */
export async function streamed(response: Response) {
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
