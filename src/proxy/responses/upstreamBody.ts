import type { JsonObject } from '../requestBody/parseJson.ts';
import { type Edit, spliceList } from '../requestBody/spliceList.ts';
import type { Envelope, Member } from './envelope.ts';
import type { RecallItem } from './forwardable.ts';
import type { InputFacts } from './inputFacts.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

const OPEN = bytes('{');
const CLOSE = bytes('}');
const STREAMED = bytes('"stream":true');
const NOT_STORED = bytes('"store":false');
const INPUT = bytes('"input":');
const OPEN_ITEMS = bytes('[');
const CLOSE_ITEMS = bytes(']');
const OPEN_TEXT = bytes('[{"type":"message","role":"user","content":[{"type":"input_text","text":');
const CLOSE_TEXT = bytes('}]}]');

/**
 * What the provider gets, in pieces that follow each other, the same as `toForwardable` would make: the bytes as they came
 * when nothing has to change, else those bytes with some members and items replaced, left out or added.
 */
export function upstreamBody(envelope: Envelope, recall: RecallItem): readonly Buffer[] {
  const { raw, members, values, inputStart, inputEnd } = envelope;
  const input = inputFor(envelope, recall);
  if (!members) return input ? [raw.subarray(0, inputStart), ...input, raw.subarray(inputEnd)] : [raw];
  const edits: Edit[] = [];
  for (const { field, start, end } of members) {
    if (field.isRefusedUpstream) edits.push({ start, end, by: undefined });
    else if (field.name === 'input' && input) edits.push({ start, end, by: [INPUT, ...input] });
    else if (field.name === 'stream' && values.stream !== true) edits.push({ start, end, by: [STREAMED] });
    else if (field.name === 'store' && values.store !== false) edits.push({ start, end, by: [NOT_STORED] });
  }
  const added: Buffer[] = [];
  if (values.stream === undefined) added.push(STREAMED);
  if (values.store === undefined) added.push(NOT_STORED);
  const [first] = members as [Member];
  const { end } = members.at(-1) as Member;
  return [OPEN, ...spliceList(raw, first.start, end, edits, added), CLOSE];
}

/** @returns whether the provider accepts all members but `input` as they are, and misses none */
export function areAccepted(members: readonly Member[], { stream, store }: Readonly<JsonObject>): boolean {
  return stream === true && store === false && !members.some(({ field }) => field.isRefusedUpstream);
}

/** @returns undefined when the input may stay as it is */
function inputFor({ raw, items, inputStart, inputEnd }: Envelope, recall: RecallItem): readonly Buffer[] | undefined {
  if (!items) return [OPEN_TEXT, raw.subarray(inputStart, inputEnd), CLOSE_TEXT];
  if (items.refused.length === 0) return undefined;
  const edits = itemEdits(items, inputStart, recall);
  return [OPEN_ITEMS, ...spliceList(raw, inputStart + 1, inputEnd - 1, edits), CLOSE_ITEMS];
}

function itemEdits({ refused }: InputFacts, inputStart: number, recall: RecallItem): Edit[] {
  return refused.map(({ start, end, by, id }) => {
    const known = by ?? (id === undefined ? undefined : recalled(recall(id)));
    return { start: inputStart + start, end: inputStart + end, by: known && [known] };
  });
}

const recalled = (item: unknown): Buffer | undefined => (item === undefined ? undefined : bytes(JSON.stringify(item)));
