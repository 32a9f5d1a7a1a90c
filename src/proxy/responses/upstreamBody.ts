import { type Edit, spliceList } from '../body/spliceList.ts';
import type { Envelope, Member } from './envelope.ts';
import type { RecallItem } from './forwardable.ts';
import type { InputFacts } from './inputFacts.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

const OPEN = bytes('{');
const CLOSE = bytes('}');
const STREAMED = bytes('"stream":true');
const NOT_STORED = bytes('"store":false');
const INPUT_ITEMS = bytes('"input":[');
const END_OF_ITEMS = bytes(']');
const INPUT_TEXT = bytes('"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":');
const END_OF_TEXT = bytes('}]}]');

/**
 * What the provider gets, in pieces that follow each other, the same as `toForwardable` would make: the bytes as they came
 * when nothing has to change, else those bytes with some members and items replaced, left out or added.
 */
export function upstreamBody(envelope: Envelope, recall: RecallItem): readonly Buffer[] {
  const { raw, members, values } = envelope;
  const edits: Edit[] = [];
  for (const member of members) {
    const by = replacement(envelope, member, recall);
    if (by !== UNCHANGED) edits.push({ start: member.start, end: member.end, by });
  }
  const added: Buffer[] = [];
  if (values.stream === undefined) added.push(STREAMED);
  if (values.store === undefined) added.push(NOT_STORED);
  if (edits.length === 0 && added.length === 0) return [raw];
  const [first] = members as [Member];
  const { end } = members.at(-1) as Member;
  return [OPEN, ...spliceList(raw, first.start, end, edits, added), CLOSE];
}

const UNCHANGED = Symbol('unchanged');

/** @returns undefined to leave the member out */
function replacement(
  { raw, values, items }: Envelope,
  { field, valueStart, end }: Member,
  recall: RecallItem,
): readonly Buffer[] | undefined | typeof UNCHANGED {
  if (field.isRefusedUpstream) return undefined;
  switch (field.name) {
    case 'stream':
      return values.stream === true ? UNCHANGED : [STREAMED];
    case 'store':
      return values.store === false ? UNCHANGED : [NOT_STORED];
    case 'input':
      if (!items) return [INPUT_TEXT, raw.subarray(valueStart, end), END_OF_TEXT];
      if (items.refused.length === 0) return UNCHANGED;
      return [
        INPUT_ITEMS,
        ...spliceList(raw, valueStart + 1, end - 1, itemEdits(items, valueStart, recall)),
        END_OF_ITEMS,
      ];
    default:
      return UNCHANGED;
  }
}

function itemEdits({ refused }: InputFacts, inputStart: number, recall: RecallItem): Edit[] {
  return refused.map(({ start, end, by, id }) => {
    const known = by ?? (id === undefined ? undefined : recalled(recall(id)));
    return { start: inputStart + start, end: inputStart + end, by: known && [known] };
  });
}

const recalled = (item: unknown): Buffer | undefined => (item === undefined ? undefined : bytes(JSON.stringify(item)));
