import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { readWithReference } from '../../../test/support/referenceReader.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { ModelRequest } from './modelRequest.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import type { RecallItem } from './recentItems.ts';
import { RequestCache } from './requestCache.ts';
import type { Surface } from './schema.ts';

/** Of items that were seen, those that are still known. */
export const recall: RecallItem = (id) =>
  id.startsWith('known') ? { type: 'message', id, text: 'recalled "é"' } : undefined;

export interface Call {
  readonly surface: Surface;
  readonly headers: IncomingHttpHeaders;
}

export const v1: Call = { surface: 'v1', headers: {} };
export const svc: Call = { surface: 'svc', headers: { 'session-id': 'session-1' } };

function outcomeOf(read: () => ModelRequest): unknown {
  try {
    const { upstreamBody, ...request } = read();
    // The reference still turns numbers beyond all bounds into null.
    return { ...request, upstream: JSON.parse(JSON.stringify(JSON.parse(Buffer.concat(upstreamBody).toString()))) };
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return { status: error.status, body: error.body };
  }
}

/**
 * The reader gives what the plain reading of the whole body gives, or refuses it alike.
 * Read twice, because the second reading knows the first; then with what other bodies have left behind.
 */
export function expectSameAsReference(raw: Buffer, memory: RequestCache, { surface, headers }: Call): void {
  const expected = outcomeOf(() => readWithReference(raw, surface, headers, recall));
  const own = new RequestCache();
  for (const used of [own, own, memory]) {
    const outcome = outcomeOf(() => readResponsesRequest(raw, surface, headers, recall, used));
    // vitest's own comparison takes most of the time of these tests, and is needed only to explain.
    if (JSON.stringify(sorted(outcome)) !== JSON.stringify(sorted(expected))) {
      expect(outcome, raw.toString('latin1')).toEqual(expected);
    }
  }
}

/** Members that are put in place of others may change their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : value;
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}
