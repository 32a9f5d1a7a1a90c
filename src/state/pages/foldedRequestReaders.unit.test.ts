import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { completed } from '../../../test/support/management.ts';
import { runs } from '../../../test/support/runs.ts';
import { accountId, keyId, later, NOW } from '../../../test/support/specification.ts';
import { readBySchema, storedRequests } from '../../../test/support/storedRequests.ts';
import { microDollars, position } from '../../domain/core/brands.ts';
import type { Infer } from '../../domain/core/schema.ts';
import { HARMLESS_OUTCOMES } from '../../domain/request/attemptOutcomes.ts';
import { type CompletedRequest, completedRequestVersions } from '../../domain/request/events.ts';
import { jsonShapeOf } from '../../eventLog/storedJson/jsonShape.ts';
import { foldedRequestReaders } from './foldedRequestReaders.ts';

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
      ['key', keyId(1), 1, 0],
      ['key', keyId(1), 2, 90],
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

/** The fields in the order of the schema, as svc writes them. */
const inOrder = (schema: Parameters<typeof jsonShapeOf>[0], data: object): unknown =>
  Object.fromEntries(
    jsonShapeOf(schema).fields.flatMap(({ name }) => (name in data ? [[name, data[name as keyof typeof data]]] : [])),
  );

type AnyVersion = Infer<(typeof completedRequestVersions)[1 | 2]>;

/** The same request in each stored version. */
const completeIn = {
  1: {
    ...complete,
    admission: { ...complete.admission, reserved: complete.admission?.reserved.map(([, , ...rest]) => rest) },
  } as Infer<(typeof completedRequestVersions)[1]>,
  2: inOrder(completedRequestVersions[2], {
    ...complete,
    owner: 'o',
    team: 't',
    transport: 'websocket',
    conversation: 'digest',
    announcements: 2,
    client: { sealed: 'sealed.a', originator: 'codex_cli_rs', name: 'codex', version: '1.2.3' },
    trace: { traceId: 'a', parentId: 'b' },
    pin: { digest: 'digest', isFallback: false, source: 'prompt_cache_key', resolvedTo: null },
    attempts: complete.attempts.map((attempt) => ({ ...attempt, providerStatus: 200, region: 'eu', waitedMs: 12 })),
  }) as CompletedRequest,
} as const;

const partsOf = ({ requestId, keyId: key, model, requestedAt, status, accountId: account, ...rest }: AnyVersion) => [
  requestId,
  key ?? undefined,
  model,
  String(requestedAt),
  'owner' in rest ? rest.owner : undefined,
  'team' in rest ? rest.team : undefined,
  rest.admission?.decidedAt.toString(),
  rest.admission?.asOf.toString(),
  rest.admission?.v.toString(),
  'announcements' in rest ? rest.announcements?.toString() : undefined,
  status,
  account ?? undefined,
  ...[rest.usage?.inputTokens, rest.usage?.outputTokens, rest.costMicroDollars ?? undefined].map((n) => n?.toString()),
  rest.pin?.digest,
  rest.pin?.isFallback.toString(),
];

const allPartsOf = (request: AnyVersion) =>
  isRare(request) ? [...partsOf(request), `"attempts":${JSON.stringify(request.attempts)}`] : partsOf(request);

const RARE = [
  'attempts.code',
  'attempts.limitedUntil',
  'attempts.isRepeat',
  'attempts.overlay.cooling',
  'attempts.overlay.pinnedTo',
  'refusal',
];
const plainText = fc.string().map((text) => text.replaceAll(/["\\]/g, ''));

/** With a rare field, or an attempt that counts against its account: the attempts are read as well. */
const isRare = ({ attempts, refusal }: AnyVersion) =>
  refusal !== undefined ||
  attempts.some(({ code, limitedUntil, isRepeat, overlay }) =>
    [code, limitedUntil, isRepeat, overlay?.cooling, overlay?.pinnedTo].some((value) => value !== undefined),
  ) ||
  attempts.some(({ outcome }) => !HARMLESS_OUTCOMES.includes(outcome));

describe.each([1, 2] as const)('version %i', (version) => {
  const read = foldedRequestReaders[version];
  const complete = completeIn[version];
  const shape = jsonShapeOf(completedRequestVersions[version]);
  const anyRequest = fc.oneof(anyObject(shape), anyObject(shape, { omitted: RARE, text: plainText }));

  test('reads a successful request, whichever optional fields it has', () => {
    const { serviceTier: _, admission: __, pin: ___, ...least } = complete;
    const withoutAttempts = { ...complete, attempts: [], usage: null, accountId: null };
    for (const request of [complete, least, completed().data, withoutAttempts]) {
      expect(read(JSON.stringify(request))?.slice(1)).toEqual(partsOf(request));
    }
  });

  test('reads every request that earlier versions of svc have stored', () => {
    const stored = storedRequests(version);
    const ordinary = stored.filter((json) => !isRare(readBySchema(json, version)));
    expect(ordinary.length).toBeGreaterThan(10);
    expect(ordinary.length).toBeLessThan(stored.length);
    for (const json of stored) {
      const parts = read(json)?.slice(1);
      expect(parts, json).toEqual(json.includes('\\') ? undefined : allPartsOf(readBySchema(json, version)));
    }
  });

  test('reads from random requests what the schema reads', () => {
    let matched = 0;
    fc.assert(
      fc.property(anyRequest, (data) => {
        const json = JSON.stringify(data);
        const request = readBySchema(json, version);
        const parts = read(json);
        if (!parts) return;
        matched++;
        expect(parts.slice(1)).toEqual(allPartsOf(request));
      }),
      runs(800),
    );
    expect(matched).toBeGreaterThan(10);
  });

  test('reads the attempts that count against an account, and those of requests with rare fields', () => {
    const [attempt] = completeIn[1].attempts as [AnyVersion['attempts'][0]];
    const rare: Partial<AnyVersion>[] = [
      { attempts: [{ ...attempt, limitedUntil: later(1) }] },
      { attempts: [{ ...attempt, code: 'usage_limit_reached' }] },
      { attempts: [{ ...attempt, outcome: 'provider_error' }, attempt] },
      { attempts: [{ ...attempt, outcome: 'invented later' }] },
      { refusal: { ...decision, reason: 'empty' } },
    ];
    for (const change of rare) {
      const request = { ...complete, ...change } as AnyVersion;
      const json = JSON.stringify(inOrder(completedRequestVersions[version], request));
      expect(read(json)?.slice(1)).toEqual(allPartsOf(readBySchema(json, version)));
      expect(read(json)).toHaveLength(19);
    }
  });

  test('leaves texts with escapes to the parser', () => {
    const escaped: Partial<AnyVersion>[] = [{ model: 'a "quoted" one' }, { requestId: 'req\\1' }];
    for (const change of escaped) expect(read(JSON.stringify({ ...complete, ...change }))).toBeNull();
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
