import { copyBytes, copyString } from '../requestBody/bytes.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import type { JsonObject } from '../requestBody/parseJson.ts';
import type { FirstMessage } from './firstMessage.ts';
import { checkItem, isInstruction } from './schema.ts';

/** An item that the provider would refuse unchanged. Positions are relative to `input`. */
export interface ReplacedItem {
  readonly start: number;
  readonly end: number;
  /** Sent in its place; undefined for a reference, which is resolved when the request is sent. */
  readonly replacement: Buffer | undefined;
  /** The id in an `item_reference`. */
  readonly referenceId: string | undefined;
}

/** The facts about the items of an `input` that the proxy needs. */
export interface InputSummary {
  /** Whether the first item is a developer or system message. */
  startsWithInstructions: boolean;
  firstItem: FirstMessage | undefined;
  firstUserItem: FirstMessage | undefined;
  readonly replaced: ReplacedItem[];
  /** Memory that the summary keeps alive, in bytes. */
  size: number;
}

/** Creates the summary of an input without items. */
export const emptySummary = (): InputSummary => ({
  startsWithInstructions: false,
  firstItem: undefined,
  firstUserItem: undefined,
  replaced: [],
  size: 0,
});

/** @returns a copy for the items that end at or before `length`; there must be at least one */
export function summaryUpTo(summary: InputSummary, length: number): InputSummary {
  const { firstUserItem } = summary;
  return {
    ...summary,
    firstUserItem: firstUserItem && firstUserItem.end <= length ? firstUserItem : undefined,
    replaced: summary.replaced.filter(({ end }) => end <= length),
  };
}

/** Bytes of the objects that make up a replaced item, beside its replacement. */
const ITEM_OVERHEAD = 200;

/**
 * Adds the item that follows all items in the summary.
 * @param inputStart position of `input` in `raw`; `start` and `end` are relative to it
 * @throws ProxyError when the item contains an unsupported tool
 */
export function addItem(
  summary: InputSummary,
  item: JsonObject,
  raw: Buffer,
  inputStart: number,
  start: number,
  end: number,
): void {
  checkItem(item, 'input');
  if (!summary.firstItem) {
    summary.firstItem = { start, end, text: undefined };
    summary.startsWithInstructions = isInstruction(item);
  }
  if (!summary.firstUserItem && item.role === 'user') summary.firstUserItem = { start, end, text: undefined };
  if (item.role === 'system') {
    const text = raw.toString('utf8', inputStart + start, inputStart + end);
    const bytes = Buffer.from(JSON.stringify({ ...withExactNumbers(text, item), role: 'developer' }));
    const replacement = copyBytes(bytes, 0, bytes.length);
    summary.replaced.push({ start, end, replacement, referenceId: undefined });
    summary.size += bytes.length + ITEM_OVERHEAD;
  } else if (item.type === 'item_reference') {
    const referenceId = typeof item.id === 'string' ? copyString(item.id) : undefined;
    summary.replaced.push({ start, end, replacement: undefined, referenceId });
    summary.size += 2 * (referenceId?.length ?? 0) + ITEM_OVERHEAD;
  }
}
