import { ContainerScanner } from '../requestBody/containerScanner.ts';
import { holdsBytes } from '../requestBody/ownedBytes.ts';
import type { Envelope } from './envelope.ts';
import { membersIn } from './knownFrames.ts';
import { type ReadInput, readInput } from './readInput.ts';
import { readLong } from './readLong.ts';
import type { RequestMemory } from './requestMemory.ts';

/**
 * Reads a body that differs from an earlier one of the conversation in nothing but its `input` and its long values.
 * @returns undefined when it is any other
 * @throws SyntaxError, ProxyError when one of these is not good
 */
export function readFramed(raw: Buffer, memory: RequestMemory, hint: string): Envelope | undefined {
  const frame = memory.frames.find(hint, raw);
  if (!frame) return undefined;
  const { bytes, gaps, values } = frame;
  let input: ReadInput | undefined;
  let inputStart = 0;
  const scanner = new ContainerScanner(raw);
  const ends: number[] = [];
  let at = 0;
  let compared = 0;
  for (const gap of gaps) {
    const { field } = gap;
    // The first piece was compared when the frame was found, and the last one.
    if (compared > 0 && !holdsBytes(raw, at - compared, bytes, gap.at, compared)) return undefined;
    at += gap.at - compared;
    compared = gap.at;
    if (field.name === 'input') {
      input = readInput(raw, at, scanner, memory, hint);
      if (!input) return undefined;
      inputStart = at;
      at = input.end;
    } else {
      const long = readLong(raw, at, field, scanner, memory, hint);
      if (!long) return undefined;
      at = long.end;
    }
    ends.push(at);
  }
  if (!input || at - compared !== raw.length - bytes.length) return undefined;
  const { end, items, opening } = input;
  return {
    raw,
    members: membersIn(frame, ends),
    values,
    inputStart,
    inputEnd: end,
    items,
    opening,
    isInstructed: frame.isInstructed || items?.isInstructed === true,
  };
}
