import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { type CompletedRequest, RequestCompleted } from '../../domain/request/events.ts';
import { LOGGED_REQUEST_VERSION, LoggedRequests } from './loggedRequest.ts';

const requests = new LoggedRequests();

const FIELDS = [
  'requestId',
  'keyId',
  'route',
  'model',
  'effort',
  'requestedAt',
  'status',
  'errorCode',
  'errorMessage',
  'accountId',
  'latencyMs',
  'firstByteMs',
  'usage',
  'costMicroDollars',
] as const;

const parsed = (json: string) => {
  const data = JSON.parse(json) as CompletedRequest;
  return {
    ...Object.fromEntries(FIELDS.map((name) => [name, data[name]])),
    attempts: { length: data.attempts.length },
  };
};

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(',"status":"', '"},"startedAt":', '{', '}', 'é', '\u{1F600}'),
);
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const count = fc.nat(Number.MAX_SAFE_INTEGER);
const decision = { decidedAt: count, asOf: count, v: count };
const overlay = fc.option(fc.record({ cooling: fc.array(fc.tuple(text, count)), turn: count }), { nil: undefined });

/** In the order in which settlement writes. */
const request = fc.record(
  {
    requestId: text,
    keyId: orNull(text),
    route: text,
    model: text,
    effort: orNull(text),
    requestedAt: count,
    admission: fc.record({
      ...decision,
      estimate: fc.record({ inputTokens: count }),
      reserved: fc.array(fc.tuple(count, count)),
    }),
    status: text,
    errorCode: orNull(text),
    errorMessage: orNull(text),
    accountId: orNull(text),
    latencyMs: count,
    firstByteMs: orNull(count),
    usage: orNull(
      fc.record({
        inputTokens: count,
        cachedInputTokens: count,
        outputTokens: count,
        reasoningTokens: count,
        isEstimated: fc.boolean(),
      }),
    ),
    costMicroDollars: orNull(count),
    priceVersion: orNull(text),
    pin: fc.record({ digest: text, isFallback: fc.boolean() }),
    attempts: fc.array(
      fc.record({ ...decision, overlay, accountId: text, startedAt: count, endedAt: count, outcome: text, code: text }),
      { maxLength: 5 },
    ),
    refusal: fc.record({ ...decision, overlay, reason: text }),
  },
  { requiredKeys: [...FIELDS, 'priceVersion', 'attempts'] },
);

test('whatever is read is what parsing would have read', () => {
  let read = 0;
  fc.assert(
    fc.property(request, (data) => {
      const json = JSON.stringify(data);
      const found = requests.read(json);
      if (!found) return;
      read++;
      expect(found).toEqual(parsed(json));
    }),
    runs(1_000),
  );
  expect(read).toBeGreaterThan(20);
});

test('a request as settlement writes it is read, one in another order is left to the parser', () => {
  const { data } = completed();
  const { requestId, ...others } = data;
  expect(requests.read(JSON.stringify(data))).toEqual(parsed(JSON.stringify(data)));
  expect(requests.read(JSON.stringify({ ...others, requestId }))).toBeUndefined();
});

test('what repeats is told apart from what only looks like it', () => {
  for (const model of ['a "quoted" one', 'a', 'b', 'a', 'a","effort":"high']) {
    const json = JSON.stringify(completed({ model }).data);
    expect(requests.read(json)).toEqual(parsed(json));
  }
});

test('a new version of the event is left to the parser', () => {
  expect(RequestCompleted.version).toBe(LOGGED_REQUEST_VERSION);
});
