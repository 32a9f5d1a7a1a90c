import type { JsonObject } from '../requestBody/parseJson.ts';
import { type Edit, spliceJson } from '../requestBody/spliceJson.ts';
import type { InputSummary } from './inputSummary.ts';
import type { RecallItem } from './recentItems.ts';
import type { Member, ScannedBody } from './scannedBody.ts';

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
 * Makes the same body as `rewriteParsedBody`, in consecutive pieces: the original bytes when nothing has to change, else
 * slices of them with some members and items replaced, removed or added.
 */
export function rewriteScannedBody(scanned: ScannedBody, recall: RecallItem): readonly Buffer[] {
  const { raw, members, values, inputStart, inputEnd } = scanned;
  const input = rewriteInput(scanned, recall);
  if (!members) return input ? [raw.subarray(0, inputStart), ...input, raw.subarray(inputEnd)] : [raw];
  const edits: Edit[] = [];
  for (const { field, start, end } of members) {
    if (field.isUnsupported) edits.push({ start, end, replacement: undefined });
    else if (field.name === 'input' && input) edits.push({ start, end, replacement: [INPUT, ...input] });
    else if (field.name === 'stream' && values.stream !== true) edits.push({ start, end, replacement: [STREAMED] });
    else if (field.name === 'store' && values.store !== false) edits.push({ start, end, replacement: [NOT_STORED] });
  }
  const added: Buffer[] = [];
  if (values.stream === undefined) added.push(STREAMED);
  if (values.store === undefined) added.push(NOT_STORED);
  const [first] = members as [Member];
  const { end } = members.at(-1) as Member;
  return [OPEN, ...spliceJson(raw, first.start, end, edits, added), CLOSE];
}

/** @returns whether the provider accepts all members except `input` unchanged, and none is missing */
export function areForwardable(members: readonly Member[], { stream, store }: Readonly<JsonObject>): boolean {
  return stream === true && store === false && !members.some(({ field }) => field.isUnsupported);
}

/** @returns undefined when the input can be forwarded unchanged */
function rewriteInput(
  { raw, items, inputStart, inputEnd }: ScannedBody,
  recall: RecallItem,
): readonly Buffer[] | undefined {
  if (!items) return [OPEN_TEXT, raw.subarray(inputStart, inputEnd), CLOSE_TEXT];
  if (items.replaced.length === 0) return undefined;
  const edits = itemEdits(items, inputStart, recall);
  return [OPEN_ITEMS, ...spliceJson(raw, inputStart + 1, inputEnd - 1, edits), CLOSE_ITEMS];
}

function itemEdits({ replaced }: InputSummary, inputStart: number, recall: RecallItem): Edit[] {
  return replaced.map(({ start, end, replacement, referenceId }) => {
    const item = replacement ?? (referenceId === undefined ? undefined : serialize(recall(referenceId)));
    return { start: inputStart + start, end: inputStart + end, replacement: item && [item] };
  });
}

const serialize = (item: unknown): Buffer | undefined => (item === undefined ? undefined : bytes(JSON.stringify(item)));
