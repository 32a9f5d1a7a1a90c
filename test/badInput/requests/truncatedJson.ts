import type { Random } from '../../support/random.ts';
import { agentText } from '../support/agentBody.ts';
import { alternatingRoutes, type BadRequest, invalidBody } from '../support/badRequest.ts';

const BOUNDARIES = [/[{[]/g, /[}\]]/g, /[^\\]"/g, /:/g, /,/g, /\\/g, /\\u00/g, /\d/g, /[^ -~]/g, /(?:tru|fals|nul)/g];

/** A body truncated at token boundaries of every kind, at random positions, and within multi-byte characters. */
export function truncatedJson(random: Random): BadRequest[] {
  const bytes = Buffer.from(agentText);
  const positions = new Set([1, 2, bytes.length - 2, bytes.length - 1]);
  for (const pattern of BOUNDARIES) {
    const matches = [...agentText.matchAll(pattern)].map((match) => match.index + match[0].length);
    for (let count = 0; count < 4; count++) positions.add(Buffer.byteLength(agentText.slice(0, random.pick(matches))));
  }
  while (positions.size < 100) positions.add(1 + random.below(bytes.length - 1));
  positions.delete(bytes.length);
  return alternatingRoutes(
    [...positions]
      .sort((a, b) => a - b)
      .map((at) => invalidBody(`JSON truncated after ${at} bytes`, bytes.subarray(0, at), { param: null })),
  );
}
