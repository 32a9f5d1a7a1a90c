import { isUtf8 } from 'node:buffer';
import { parseArgs } from 'node:util';
import { readResponsesRequest } from '../../src/proxy/responses/readResponsesRequest.ts';
import { RequestCache } from '../../src/proxy/responses/requestCache.ts';
import { readWithReference } from '../../test/support/referenceReader.ts';
import { bodies } from '../throughput/bodies.ts';
import { growingConversation } from './growingConversation.ts';
import { measure, type Variant } from './measure.ts';

// `npm run bench:envelope -- [--rounds 150]`: the cost of reading a request, in microseconds of one thread. `before` parses,
// checks and, if anything must change, serializes the complete body. The others scan its bytes: `cold` with empty caches (the
// first request of a process), `first turn` when another conversation had the same tools and instructions, `warm` when the
// conversation is cached (of the growing one: all but the newest items). The remaining columns are single steps, for comparison.

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '150' } } });
const rounds = Number(values.rounds);

interface Sample {
  readonly raw: Buffer;
  readonly headers: { readonly 'session-id': string };
}

/** Filled with other conversations, as in a service that has been running for a while. */
const sharedCache = new RequestCache();
let conversations = 0;

const recall = () => undefined;
const sampleOf = ({ session, json }: { session: string; json: string }): Sample => ({
  raw: Buffer.from(json),
  headers: { 'session-id': session },
});

const rows = [
  table('20 kB, two long strings', bodies('20k').map(sampleOf)),
  table('38 kB, a coding agent', bodies('38k').map(sampleOf)),
  table(
    '38 kB, no session header',
    bodies('38k').map((body) => ({ ...sampleOf(body), headers: {} as Sample['headers'] })),
  ),
  growing(),
];
const columns = Object.keys(Object.assign({}, ...rows));
for (const row of [columns, ...rows.map((row) => columns.map((column) => row[column] ?? '-'))]) {
  process.stdout.write(`${row.map((cell, index) => (index ? cell.padStart(12) : cell.padEnd(28))).join('')}\n`);
}

/** Reads the bodies in turn, like a service with many conversations. */
function table(name: string, samples: readonly Sample[]): Record<string, string> {
  const cache = new RequestCache();
  return run(name, {
    before: (index) => read(samples, index),
    cold: (index) => read(samples, index, new RequestCache()),
    'first turn': (index) => readFirst(samples, index),
    warm: (index) => read(samples, index, cache),
    ...parts(samples),
  });
}

/** Reads the turns of one conversation: each is new, and those before are cached. */
function growing(): Record<string, string> {
  const turns = growingConversation(300_000, 40).map(sampleOf);
  const last = turns.slice(-1);
  let cache = new RequestCache();
  return run(`${(last[0]?.raw.length ?? 0) / 1000} kB, growing`, {
    before: (index) => read(last, index),
    cold: (index) => read(last, index, new RequestCache()),
    'first turn': (index) => readFirst(last, index),
    warm: (index) => {
      if (index % turns.length === 0) {
        cache = new RequestCache();
        read(turns, 0, cache);
      }
      return read(turns, index, cache);
    },
    ...parts(last),
  });
}

function readFirst(samples: readonly Sample[], index: number): number {
  const { raw } = samples[index % samples.length] as Sample;
  const headers = { 'session-id': `conversation-${conversations++}` };
  return readResponsesRequest(raw, 'v1', headers, recall, sharedCache).upstreamBody.length;
}

function parts(samples: readonly Sample[]): Record<string, Variant> {
  const rawOf = (index: number) => (samples[index % samples.length] as Sample).raw;
  return {
    'JSON.parse': (index) => Object.keys(JSON.parse(rawOf(index).toString())).length,
    decode: (index) => rawOf(index).toString().length,
    isUtf8: (index) => Number(isUtf8(rawOf(index))),
    copy: (index) => Buffer.from(rawOf(index)).length,
  };
}

function read(samples: readonly Sample[], index: number, cache?: RequestCache): number {
  const { raw, headers } = samples[index % samples.length] as Sample;
  const { upstreamBody } = cache
    ? readResponsesRequest(raw, 'v1', headers, recall, cache)
    : readWithReference(raw, 'v1', headers, recall);
  return upstreamBody.length;
}

function run(name: string, variants: Readonly<Record<string, Variant>>): Record<string, string> {
  const times = measure(variants, rounds);
  return { body: name, ...Object.fromEntries(Object.entries(times).map(([variant, us]) => [variant, us.toFixed(1)])) };
}
