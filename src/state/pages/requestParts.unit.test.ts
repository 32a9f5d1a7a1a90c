import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { accountId, keyId, later, NOW } from '../../../test/support/specification.ts';
import { microDollars, position } from '../../domain/core/brands.ts';
import { type CompletedRequest, RequestCompleted } from '../../domain/request/events.ts';
import { FOLDED_REQUEST_VERSION, requestParts } from './requestParts.ts';

const read = (json: string) => requestParts('RequestCompleted', FOLDED_REQUEST_VERSION, json);
const decision = { decidedAt: position(7), asOf: NOW, v: 2 };

/** As settlement writes one that went well, with everything that such a one may have. */
const whole: CompletedRequest = {
  requestId: 'req_1',
  keyId: keyId(1),
  route: '/v1/responses',
  model: 'gpt-5',
  effort: 'high',
  requestedAt: NOW,
  admission: {
    ...decision,
    estimate: { inputTokens: 10, outputTokens: 2_048, costMicroDollars: 20 },
    reserved: [
      [1, 0],
      [2, 90],
    ],
  },
  status: '200',
  errorCode: null,
  errorMessage: null,
  accountId: accountId(1),
  latencyMs: 1_200,
  firstByteMs: 300,
  usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 1, isEstimated: false },
  costMicroDollars: microDollars(62),
  priceVersion: '2026-11-01',
  serviceTier: 'priority',
  pin: { digest: 'digest', isFallback: false },
  attempts: [
    { ...decision, overlay: { turn: 3 }, accountId: accountId(1), startedAt: NOW, endedAt: later(9), outcome: 'ok' },
  ],
};

test('a request that went well is read, whatever of what may be absent is', () => {
  const { serviceTier: _, admission: __, pin: ___, ...least } = whole;
  for (const request of [whole, least, completed().data, { ...whole, attempts: [], usage: null, accountId: null }]) {
    const { requestId, keyId: key, model, requestedAt, status, accountId: account, usage, costMicroDollars } = request;
    const { pin }: Partial<CompletedRequest> = request;
    const numbers = [usage?.inputTokens, usage?.outputTokens, costMicroDollars ?? undefined];
    expect(read(JSON.stringify(request))?.slice(1)).toEqual([
      requestId,
      key ?? undefined,
      model,
      String(requestedAt),
      status,
      account ?? undefined,
      ...numbers.map((number) => number?.toString()),
      pin?.digest,
      pin?.isFallback.toString(),
    ]);
  }
});

test('what a fold would have to look at more closely is left to the parser', () => {
  const [attempt] = whole.attempts as [CompletedRequest['attempts'][0]];
  const rare: Partial<CompletedRequest>[] = [
    { attempts: [{ ...attempt, limitedUntil: later(1) }] },
    { attempts: [{ ...attempt, code: 'usage_limit_reached' }] },
    { refusal: { ...decision, reason: 'empty' } },
    { model: 'a "quoted" one' },
    { requestId: 'req\\1' },
  ];
  for (const change of rare) expect(read(JSON.stringify({ ...whole, ...change }))).toBeUndefined();
});

test('text that is no JSON is never read, wherever it was damaged', () => {
  const json = JSON.stringify(whole);
  expect(read(json)).toBeDefined();
  const isJson = (damaged: string) => {
    try {
      JSON.parse(damaged);
      return true;
    } catch {
      return false;
    }
  };
  for (let at = 0; at < json.length; at += 1) {
    for (const damage of ['', '"', ',', '\\', '\n']) {
      const damaged = json.slice(0, at) + damage + json.slice(at + 1);
      if (!isJson(damaged)) expect(read(damaged), damaged).toBeUndefined();
    }
    expect(read(json.slice(0, at))).toBeUndefined();
  }
});

test('a new version of the event is left to the parser', () => {
  expect(RequestCompleted.version).toBe(FOLDED_REQUEST_VERSION);
  expect(requestParts('RequestCompleted', FOLDED_REQUEST_VERSION + 1, JSON.stringify(whole))).toBeUndefined();
});
