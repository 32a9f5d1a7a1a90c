import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountId, importedAccount, NOW, recorded } from '../../../test/support/specification.ts';
import { AccountImported } from '../../domain/account/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';
import type { LimitMeter } from '../admission/limitMeter.ts';
import { StreamStop } from '../admission/streamStop.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import { MemoryBudget } from '../requestBody/memoryBudget.ts';
import type { Outcome } from '../settlement/settlement.ts';
import type { UpstreamListener } from '../upstream/upstreamPool.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { Cooldowns } from './cooldowns.ts';
import { Exchange } from './exchange.ts';
import { eventStream } from './responseFormats.ts';

const SSE = new Map([['content-type', 'text/event-stream']]);
const event = (type: string, fields = '') => Buffer.from(`data: {"type":"${type}"${fields}}\n\n`);
const TEXT = event('response.output_text.delta', ',"delta":"Hi"');
const COMPLETED = event('response.completed', ',"response":{"id":"r","output":[]}');
const FAILED = event('response.failed', ',"response":{"error":{"code":"server_error"}}');
const ERROR = event('error', ',"error":{"code":"server_error"}');

const coolDownsOf = ({ coolDowns: folded }: HotState) =>
  new Cooldowns({ folded, record: async () => undefined, isOfThisStart: () => true, now: () => NOW });

/** An exchange over two accounts, with a step for everything that can happen and counts of what must happen once. */
function setUp(isStream: boolean) {
  const hot = new HotState();
  for (const name of [1, 2]) {
    const imported = AccountImported(importedAccount({ accountId: accountId(name) }));
    hot.apply(recorded(imported) as RecordedEvent);
  }
  let listener: UpstreamListener | undefined;
  let isTokenValid = true;
  const counts = { settled: 0, responded: 0, destroyed: 0, ended: 0, openCalls: 0 };
  const outcomes: Outcome[] = [];
  const refresh: PromiseWithResolvers<'refreshed' | 'transient' | 'outOfDescriptors'>[] = [];
  const refusedDescriptors: string[] = [];
  const attempts: (string | undefined)[][] = [];
  const coolDowns = coolDownsOf(hot);
  let mayConnect = true;
  const append = Promise.withResolvers<void>();
  append.promise.catch(() => undefined);

  const delivery: Delivery & { hasBegun: boolean } = {
    hasBegun: false,
    wantsEvents: isStream,
    streamedBytes: 0,
    pass() {
      if (isStream) this.hasBegun = true;
      return true;
    },
    reset: () => undefined,
    finish: () => void counts.responded++,
    fail: () => void counts.responded++,
    keepAlive: () => undefined,
    destroy: () => void counts.destroyed++,
  };
  const budget = new MemoryBudget(10_000_000);
  const share = budget.createShare();
  share.open();
  const request: AdmittedRequest = {
    requestId: 'req_1',
    key: null,
    route: '/v1/responses',
    model: 'm',
    effort: null,
    serviceTier: null,
    requestedAt: NOW,
    admission: undefined,
    pin: undefined,
    caller: { client: {}, ready: undefined },
    conversations: {},
    inputTokens: 10,
    upstreamPath: '/codex/responses',
    upstreamBody: [Buffer.from('{}')],
    share,
    format: eventStream({ dropsVendorEvents: false, remembersItems: false }),
    clientHeaders: [],
  };
  let isExceeded = false;
  const stop = new StreamStop(() => (isExceeded ? new ProxyError('rate_limit_exceeded') : undefined));
  const meter = { stop, use: () => undefined } as Partial<LimitMeter> as LimitMeter;
  const exchange = new Exchange({ ...request, ...(isStream && { meter }) }, delivery, {
    accounts: { hot, cooldowns: coolDowns, nextTurn: () => 0, deactivate: () => undefined },
    provider: {
      routeOf: () => ({
        proxy: undefined,
        openConnection: () => Promise.reject(new Error('no websocket here')),
        pool: {
          send(_request, upstreamListener) {
            counts.openCalls++;
            let isOpen = true;
            const close = () => {
              if (isOpen) counts.openCalls--;
              isOpen = false;
              if (listener === guarded) listener = undefined;
            };
            // The contract of `UpstreamListener`: no calls after the end, an error or an abort.
            const guarded: UpstreamListener = {
              onHead: (status, headers) => isOpen && upstreamListener.onHead(status, headers),
              onBody: (bytes) => isOpen && upstreamListener.onBody(bytes),
              onEnd() {
                if (isOpen) upstreamListener.onEnd();
                close();
              },
              onError(error) {
                if (isOpen) upstreamListener.onError(error);
                close();
              },
            };
            listener = guarded;
            return { isPaused: false, pause: () => undefined, resume: () => undefined, abort: close };
          },
          connections: 0,
          hasIdle: false,
          idle: [],
          close: () => undefined,
          destroy: () => undefined,
        },
      }),
      basePath: '',
      descriptors: { mayConnect: () => mayConnect, onRefused: (errno) => refusedDescriptors.push(errno) },
      accessTokens: {
        headersFor: () => (isTokenValid ? { authorization: 'Bearer t' } : undefined),
        refresh() {
          const pending = Promise.withResolvers<'refreshed' | 'transient' | 'outOfDescriptors'>();
          refresh.push(pending);
          return pending.promise;
        },
      },
      outboundHeaders: () => ({ shared: [], own: [] }),
    },
    settle({ outcome, attempts: ended }) {
      counts.settled++;
      attempts.push(...ended.map((attempt) => [attempt.outcome, attempt.errno]));
      outcomes.push(outcome);
      return append.promise;
    },
    rememberOutput: () => undefined,
    onEnded: () => void counts.ended++,
    report: (error) => {
      throw error;
    },
    now: () => NOW,
  });

  const steps = {
    head: () => listener?.onHead(200, SSE),
    unauthorized() {
      listener?.onHead(401, new Map());
      listener?.onEnd();
    },
    serverError() {
      listener?.onHead(500, new Map());
      listener?.onEnd();
    },
    text: () => listener?.onBody(TEXT),
    completed: () => listener?.onBody(COMPLETED),
    failed: () => listener?.onBody(FAILED),
    error: () => listener?.onBody(ERROR),
    end: () => listener?.onEnd(),
    reset: () => listener?.onError(new Error('reset')),
    emfile: () => listener?.onError(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE', syscall: 'connect' })),
    lookupFails: () =>
      listener?.onError(Object.assign(new Error('getaddrinfo'), { code: 'EINVAL', syscall: 'getaddrinfo' })),
    descriptorsGone() {
      mayConnect = false;
    },
    refreshLacksDescriptor: () => refresh.shift()?.resolve('outOfDescriptors'),
    expire() {
      isTokenValid = false;
    },
    refreshed() {
      isTokenValid = true;
      refresh.shift()?.resolve('refreshed');
    },
    refreshFails: () => refresh.shift()?.resolve('transient'),
    exceeded() {
      isExceeded = true;
    },
    tick: () => exchange.tick(performance.now(), { idleMs: 1_000_000, keepAliveMs: 1_000_000 }),
    idle: () => exchange.tick(performance.now() + 1_000_000, { idleMs: 1_000, keepAliveMs: 100 }),
    disconnect: () => exchange.onClientDisconnect(),
    shutDown: () => exchange.abort(new ProxyError('shutting_down')),
    refuse: () => exchange.refuse(new ProxyError('invalid_request_error')),
    appended: () => append.resolve(),
    appendFails: () => append.reject(new Error('the log does not respond')),
  };
  const isCooling = () => [...hot.accounts.keys()].some((id) => coolDowns.get(id) !== undefined);
  const usedBytes = () => budget.usedBytes;
  return { exchange, steps, counts, outcomes, attempts, isCooling, refusedDescriptors, usedBytes };
}

const NAMES = Object.keys(setUp(true).steps) as (keyof ReturnType<typeof setUp>['steps'])[];

/** Runs the callbacks of settled promises. */
const flush = () => new Promise((resolve) => setImmediate(resolve));

test('settles once, responds at most once and ends once, in every sequence of events', () =>
  fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(fc.constantFrom(...NAMES), { maxLength: 25 }), async (isStream, names) => {
      const { exchange, steps, counts, usedBytes } = setUp(isStream);
      exchange.start();
      for (const name of names) {
        const wasOver = exchange.isOver;
        steps[name]();
        await flush();
        if (wasOver) expect(exchange.isOver).toBe(true);
        expect(counts.settled).toBe(exchange.isOver ? 1 : 0);
        expect(counts.responded).toBeLessThanOrEqual(counts.ended);
        expect(counts.openCalls).toBeLessThanOrEqual(1);
      }
      steps.disconnect();
      steps.appended();
      await flush();
      expect(counts).toMatchObject({ settled: 1, ended: 1 });
      expect(counts.responded).toBeLessThanOrEqual(1);
      expect(usedBytes()).toBe(0);
    }),
  ));

test.each([
  ['completes', ['head', 'text', 'completed'], { status: '200', code: null }],
  ['fails by an event of the provider', ['head', 'text', 'failed'], { status: 'error', code: 'server_error' }],
  ['fails after the first byte', ['head', 'text', 'reset'], { status: 'error', code: 'stream_incomplete' }],
  ['fails on every account', ['serverError', 'serverError'], { status: '502', code: 'upstream_error' }],
  ['is abandoned by its client', ['head', 'disconnect'], { status: 'error', code: 'client_disconnected' }],
  ['runs past a limit', ['head', 'text', 'exceeded', 'text'], { status: 'error', code: 'rate_limit_exceeded' }],
  ['is silent past a limit', ['head', 'text', 'exceeded', 'tick'], { status: 'error', code: 'rate_limit_exceeded' }],
  ['completes past a limit', ['head', 'text', 'exceeded', 'completed'], { status: '200', code: null }],
  ['is aborted', ['shutDown'], { status: '503', code: 'shutting_down' }],
  ['is refused while its body is sent', ['refuse'], { status: '400', code: 'invalid_request_error' }],
] as const)('records the outcome of a request that %s', async (_how, names, expected) => {
  const { exchange, steps, outcomes } = setUp(true);
  exchange.start();
  for (const name of names) steps[name]();
  expect(outcomes).toMatchObject([expected]);
});

test('ends the response only after the outcome is in the log', async () => {
  const { exchange, steps, counts } = setUp(true);
  exchange.start();
  for (const name of ['head', 'text', 'completed'] as const) steps[name]();
  await flush();
  expect(counts).toMatchObject({ settled: 1, responded: 0, ended: 0 });
  steps.appended();
  await flush();
  expect(counts).toMatchObject({ settled: 1, responded: 1, ended: 1 });
});

describe('without a file descriptor', () => {
  const refused = { status: '503', code: 'out_of_file_descriptors' };

  test.each([
    ['for a connection', [], ['emfile'], ['out_of_descriptors', 'EMFILE']],
    ['for one more connection', ['descriptorsGone'], [], ['out_of_descriptors', undefined]],
    ['for the name of the provider', [], ['descriptorsGone', 'lookupFails'], ['out_of_descriptors', undefined]],
    ['for a token refresh', ['expire'], ['refreshLacksDescriptor'], ['out_of_descriptors', undefined]],
  ] as const)(
    '%s, a request ends with 503 after one attempt, and no account cools down',
    async (_, before, after, attempt) => {
      const { exchange, steps, outcomes, attempts, isCooling } = setUp(true);
      for (const name of before) steps[name]();
      exchange.start();
      for (const name of after) steps[name]();
      await flush();
      expect(outcomes).toMatchObject([refused]);
      expect(attempts).toEqual([attempt]);
      expect(isCooling()).toBe(false);
    },
  );

  test('says so only if the system has refused one', async () => {
    const { exchange, steps, refusedDescriptors } = setUp(true);
    exchange.start();
    steps.emfile();
    expect(refusedDescriptors).toEqual(['EMFILE']);
  });

  test('a failed lookup with descriptors left is a failure of the provider', async () => {
    const { exchange, steps, isCooling } = setUp(true);
    exchange.start();
    steps.lookupFails();
    expect(isCooling()).toBe(true);
  });
});
