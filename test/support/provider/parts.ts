import type { OutputItem, Part } from './responseEvents.ts';
import type { ScriptContext, Step } from './responseScript.ts';

const itemId = (prefix: string, { id }: ScriptContext, index: number): string =>
  `${prefix}_${id.slice('resp_'.length)}_${index}`;

const added = (index: number, item: OutputItem): Step => ({
  event: { type: 'response.output_item.added', output_index: index, item },
});
const done = (index: number, item: OutputItem): Step => ({
  event: { type: 'response.output_item.done', output_index: index, item },
});

const outputText = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });

export interface MessageOptions {
  betweenMs?: number | undefined;
  /** Stops after the last delta: the item is never finished. */
  leaveOpen?: boolean;
}

/** A message of the assistant, one delta after another (docs/provider.md#events-of-a-text-response). */
export const message = (deltas: readonly string[], { betweenMs, leaveOpen }: MessageOptions = {}): Part =>
  function* (context, index) {
    const id = itemId('msg', context, index);
    const at = { item_id: id, output_index: index, content_index: 0 };
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] as unknown[] };
    yield added(index, item);
    yield { event: { type: 'response.content_part.added', ...at, part: outputText('') } };
    for (const [n, delta] of deltas.entries()) {
      if (betweenMs && n > 0) yield { waitMs: betweenMs };
      yield { event: { type: 'response.output_text.delta', ...at, delta, logprobs: [] } };
    }
    if (leaveOpen) return [];
    const text = deltas.join('');
    const complete = { ...item, status: 'completed', content: [outputText(text)] };
    yield { event: { type: 'response.output_text.done', ...at, text, logprobs: [] } };
    yield { event: { type: 'response.content_part.done', ...at, part: outputText(text) } };
    yield done(index, complete);
    return [complete];
  };

/** Reasoning with a summary; `encrypted_content` only on request (docs/provider.md#events-of-reasoning). */
export const reasoning = (deltas: readonly string[]): Part =>
  function* (context, index) {
    const id = itemId('rs', context, index);
    const at = { item_id: id, output_index: index, summary_index: 0 };
    const text = deltas.join('');
    const isRequested =
      Array.isArray(context.json.include) && context.json.include.includes('reasoning.encrypted_content');
    const encrypted = isRequested ? { encrypted_content: encode(`reasoning of ${context.account.id}`) } : {};
    yield added(index, { id, type: 'reasoning', summary: [], ...encrypted });
    yield { event: { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } } };
    for (const delta of deltas) yield { event: { type: 'response.reasoning_summary_text.delta', ...at, delta } };
    yield { event: { type: 'response.reasoning_summary_text.done', ...at, text } };
    yield { event: { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } } };
    const complete = { id, type: 'reasoning', summary: [{ type: 'summary_text', text }], ...encrypted };
    yield done(index, complete);
    return [complete];
  };

export interface Call {
  name: string;
  /** An object is sent as its JSON. */
  args: string | object;
}

const CALL_DELTAS = 4;

/** Parallel function calls with interleaved deltas (docs/provider.md#events-of-parallel-tool-calls). */
export const functionCalls = (calls: readonly Call[]): Part =>
  function* (context, index) {
    const items = calls.map(({ name, args }, n) => {
      const outputIndex = index + n;
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const id = itemId('fc', context, outputIndex);
      const item = {
        id,
        type: 'function_call',
        status: 'in_progress',
        call_id: itemId('call', context, outputIndex),
        name,
        arguments: '',
      };
      return {
        item,
        text,
        outputIndex,
        pieces: evenly(text, CALL_DELTAS),
        at: { item_id: id, output_index: outputIndex },
      };
    });
    for (const { outputIndex, item } of items) yield added(outputIndex, item);
    for (let n = 0; n < CALL_DELTAS; n++)
      for (const { at, pieces } of items)
        if (pieces[n] !== undefined)
          yield { event: { type: 'response.function_call_arguments.delta', ...at, delta: pieces[n] } };
    for (const { at, item, text } of items)
      yield { event: { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: text } };
    const complete = items.map(({ item, text }) => ({ ...item, status: 'completed', arguments: text }));
    for (const [n, item] of complete.entries()) yield done(index + n, item);
    return complete;
  };

export const compactionItem = (context: ScriptContext, index: number): OutputItem => ({
  id: itemId('cmp', context, index),
  type: 'compaction',
  encrypted_content: encode(`history of ${context.account.id}`),
});

/** The only item of a response to an input that ends with `compaction_trigger`. */
export const compaction: Part = function* (context, index) {
  const item = compactionItem(context, index);
  yield added(index, item);
  yield done(index, item);
  return [item];
};

const encode = (secret: string): string => Buffer.from(secret).toString('base64');

/** Splits a text into at most that many pieces of about the same length, never within a character. */
export function evenly(text: string, pieces: number): string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / pieces));
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += size) parts.push(characters.slice(at, at + size).join(''));
  return parts;
}
