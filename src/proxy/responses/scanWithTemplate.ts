import { hasBytesAt } from '../requestBody/bytes.ts';
import { JsonContainerScanner } from '../requestBody/jsonContainerScanner.ts';
import { membersOf } from './bodyTemplateCache.ts';
import type { RequestCache } from './requestCache.ts';
import { type ScannedInput, scanInput } from './scanInput.ts';
import { scanLongValue } from './scanLongValue.ts';
import type { ScannedBody } from './scannedBody.ts';

/**
 * Scans a body that differs from an earlier one of the conversation only in its `input` and its long values.
 * @returns undefined for any other body
 * @throws SyntaxError, ProxyError when the input or a long value is invalid
 */
export function scanWithTemplate(raw: Buffer, cache: RequestCache, hint: string): ScannedBody | undefined {
  const template = cache.templates.find(hint, raw);
  if (!template) return undefined;
  const { bytes, slots, values } = template;
  let input: ScannedInput | undefined;
  let inputStart = 0;
  const scanner = new JsonContainerScanner(raw);
  const ends: number[] = [];
  let at = 0;
  let compared = 0;
  for (const slot of slots) {
    const { field } = slot;
    // `find` has compared the bytes before the first slot and after the last one.
    if (compared > 0 && !hasBytesAt(raw, at - compared, bytes, slot.at, compared)) return undefined;
    at += slot.at - compared;
    compared = slot.at;
    if (field.name === 'input') {
      input = scanInput(raw, at, scanner, cache, hint);
      if (!input) return undefined;
      inputStart = at;
      at = input.end;
    } else {
      const value = scanLongValue(raw, at, field, scanner, cache, hint);
      if (!value) return undefined;
      at = value.end;
    }
    ends.push(at);
  }
  if (!input || at - compared !== raw.length - bytes.length) return undefined;
  const { end, items, firstMessage } = input;
  return {
    raw,
    members: membersOf(template, ends),
    values,
    inputStart,
    inputEnd: end,
    items,
    firstMessage,
    hasInstructions: template.hasInstructions || items?.startsWithInstructions === true,
  };
}
