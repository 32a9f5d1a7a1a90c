import { mapInSlices } from '../../lib/mapInSlices.ts';

/** Shorter lists take a few milliseconds, also of long entries. */
const MIN_ENTRIES = 200;
/** Entries that are written at once: fewer pieces to join. */
const ENTRIES = 20;

/**
 * Writes JSON as `JSON.stringify` does, but a long list, or an object that has one, in slices between which other work has its turn:
 * 20,000 API keys in one piece keep requests waiting for 50 ms.
 * @returns UTF-8
 */
export async function jsonInSlices(value: object): Promise<Buffer> {
  if (Array.isArray(value)) return await listInSlices(value);
  const fields = Object.entries(value);
  if (!fields.some(([, field]) => isLong(field))) return Buffer.from(JSON.stringify(value));
  const parts: Buffer[] = [];
  for (const [name, field] of fields) {
    const text = isLong(field) ? await listInSlices(field) : textOf(field);
    if (text !== undefined) parts.push(Buffer.from(`${parts.length === 0 ? '' : ','}${JSON.stringify(name)}:`), text);
  }
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length >= MIN_ENTRIES;

/** @returns undefined for what an object in JSON cannot have */
function textOf(field: unknown): Buffer | undefined {
  const text = JSON.stringify(field);
  return text === undefined ? undefined : Buffer.from(text);
}

async function listInSlices(list: readonly unknown[]): Promise<Buffer> {
  const starts = Array.from({ length: Math.ceil(list.length / ENTRIES) }, (_, index) => index * ENTRIES);
  const parts = await mapInSlices(starts, (at) =>
    Buffer.from((at === 0 ? '' : ',') + JSON.stringify(list.slice(at, at + ENTRIES)).slice(1, -1)),
  );
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}
