import { agentText } from '../support/agentBody.ts';
import { type BadRequest, invalidBody, onEitherRoute } from '../support/badRequest.ts';
import type { Random } from '../support/random.ts';

const EVERY_KIND_OF_PLACE = [
  /[{[]/g,
  /[}\]]/g,
  /[^\\]"/g,
  /:/g,
  /,/g,
  /\\/g,
  /\\u00/g,
  /\d/g,
  /[^ -~]/g,
  /(?:tru|fals|nul)/g,
];

/** A body cut at places of every kind, at random ones, and inside characters of several bytes. */
export function cutJson(random: Random): BadRequest[] {
  const bytes = Buffer.from(agentText);
  const places = new Set([1, 2, bytes.length - 2, bytes.length - 1]);
  for (const pattern of EVERY_KIND_OF_PLACE) {
    const found = [...agentText.matchAll(pattern)].map((match) => match.index + match[0].length);
    for (let count = 0; count < 4; count++) places.add(Buffer.byteLength(agentText.slice(0, random.pick(found))));
  }
  while (places.size < 100) places.add(1 + random.below(bytes.length - 1));
  places.delete(bytes.length);
  return onEitherRoute(
    [...places]
      .sort((a, b) => a - b)
      .map((at) => invalidBody(`JSON cut after ${at} bytes`, bytes.subarray(0, at), { param: null })),
  );
}
