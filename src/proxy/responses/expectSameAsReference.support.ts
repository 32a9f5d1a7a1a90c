import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { readWithReference } from '../../../test/support/referenceReader.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { ModelRequest } from './modelRequest.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import type { RecallItem } from './recentItems.ts';
import { RequestCache } from './requestCache.ts';
import type { Surface } from './schema.ts';

/** A fake cache of recent output items, which contains only ids that start with `known`. */
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
    // The reference turns infinite numbers into null.
    return { ...request, upstream: JSON.parse(JSON.stringify(JSON.parse(Buffer.concat(upstreamBody).toString()))) };
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return { status: error.status, body: error.body };
  }
}

/**
 * Expects the result or the error of the reference. Reads the body with an empty cache, again with the cache that now
 * contains it, and with the cache of other bodies.
 */
export function expectSameAsReference(raw: Buffer, cache: RequestCache, { surface, headers }: Call): void {
  const expected = outcomeOf(() => readWithReference(raw, surface, headers, recall));
  const emptyCache = new RequestCache();
  for (const usedCache of [emptyCache, emptyCache, cache]) {
    const outcome = outcomeOf(() => readResponsesRequest(raw, surface, headers, recall, usedCache));
    // vitest's own comparison would take most of the time of these tests, so it only explains a difference.
    if (JSON.stringify(sorted(outcome)) !== JSON.stringify(sorted(expected))) {
      expect(outcome, raw.toString('latin1')).toEqual(expected);
    }
  }
}

/** Replaced members may change their position. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : value;
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}
