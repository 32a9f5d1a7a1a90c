import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { completed } from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { accountId, keyId, later, NOW } from '../../../test/support/specification.ts';
import { readBySchema, storedRequests } from '../../../test/support/storedRequests.ts';
import { microDollars, position } from '../../domain/core/brands.ts';
import { type CompletedRequest, completedRequestV1 } from '../../domain/request/events.ts';
import { jsonShapeOf } from '../../eventLog/storedJson/jsonShape.ts';
import { foldedRequestReaders } from './foldedRequestReaders.ts';

const read = foldedRequestReaders[1];
const decision = { decidedAt: position(7), asOf: NOW, v: 2 };

/** A successful request with every field that such a request can have. */
const complete: CompletedRequest = {
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

const partsOf = ({
  requestId,
  keyId: key,
  model,
  requestedAt,
  status,
  accountId: account,
  ...rest
}: CompletedRequest) => [
  requestId,
  key ?? undefined,
  model,
  String(requestedAt),
  status,
  account ?? undefined,
  ...[rest.usage?.inputTokens, rest.usage?.outputTokens, rest.costMicroDollars ?? undefined].map((n) => n?.toString()),
  rest.pin?.digest,
  rest.pin?.isFallback.toString(),
];

const RARE = [
  'attempts.code',
  'attempts.limitedUntil',
  'attempts.isRepeat',
  'attempts.overlay.cooling',
  'attempts.overlay.pinnedTo',
  'refusal',
];
const shape = jsonShapeOf(completedRequestV1);
const plainText = fc.string().map((text) => text.replaceAll(/["\\]/g, ''));
const anyRequest = fc.oneof(anyObject(shape), anyObject(shape, { omitted: RARE, text: plainText }));

const isRare = ({ attempts, refusal }: CompletedRequest) =>
  refusal !== undefined ||
  attempts.some(({ code, limitedUntil, isRepeat, overlay }) =>
    [code, limitedUntil, isRepeat, overlay?.cooling, overlay?.pinnedTo].some((value) => value !== undefined),
  );

describe('version 1', () => {
  test('reads a successful request, whichever optional fields it has', () => {
    const { serviceTier: _, admission: __, pin: ___, ...least } = complete;
    const withoutAttempts = { ...complete, attempts: [], usage: null, accountId: null };
    for (const request of [complete, least, completed().data, withoutAttempts]) {
      expect(read(JSON.stringify(request))?.slice(1)).toEqual(partsOf(request));
    }
  });

  test('reads every ordinary request that earlier versions of svc have stored', () => {
    const stored = storedRequests(1);
    const ordinary = stored.filter((json) => !isRare(readBySchema(json)));
    expect(ordinary.length).toBeGreaterThan(10);
    for (const json of stored) {
      const request = readBySchema(json);
      expect(read(json)?.slice(1), json).toEqual(isRare(request) ? undefined : partsOf(request));
    }
  });

  test('reads from random requests what the schema reads', () => {
    let matched = 0;
    fc.assert(
      fc.property(anyRequest, (data) => {
        const json = JSON.stringify(data);
        const request = readBySchema(json);
        const parts = read(json);
        if (!parts) return;
        matched++;
        expect(isRare(request)).toBe(false);
        expect(parts.slice(1)).toEqual(partsOf(request));
      }),
      runs(2_000),
    );
    expect(matched).toBeGreaterThan(30);
  });

  test('leaves what the fold has to look at more closely to the parser', () => {
    const [attempt] = complete.attempts as [CompletedRequest['attempts'][0]];
    const rare: Partial<CompletedRequest>[] = [
      { attempts: [{ ...attempt, limitedUntil: later(1) }] },
      { attempts: [{ ...attempt, code: 'usage_limit_reached' }] },
      { refusal: { ...decision, reason: 'empty' } },
      { model: 'a "quoted" one' },
      { requestId: 'req\\1' },
    ];
    for (const change of rare) expect(read(JSON.stringify({ ...complete, ...change }))).toBeNull();
  });

  test('never reads text that is no JSON, wherever it was damaged', () => {
    const json = JSON.stringify(complete);
    expect(read(json)).not.toBeNull();
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
        if (!isJson(damaged)) expect(read(damaged), damaged).toBeNull();
      }
      expect(read(json.slice(0, at))).toBeNull();
    }
  });
});
