import { describe, expect, test, vi } from 'vitest';
import { openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { fullDisks } from './support/fullDisk.ts';
import { managementApi } from './support/managementApi.ts';
import { reasonsOf } from './support/reasonsOf.ts';
import { sendRequest } from './support/sendRequest.ts';
import { openStage, requestBody, type Stage } from './support/stage.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// A full disk costs the requests that were open when it became full. Later ones are refused before they reach the provider,
// and served again once there is room, without a restart (docs/operation.md#a-full-disk).

vi.setConfig({ testTimeout: 90_000 });
const SOON = { timeout: 20_000, interval: 50 };
/** Pauses between attempts to follow EventStoreDB grow to 5 s. */
const LATER = { timeout: 60_000, interval: 100 };
/** Longer than the interval at which svc finds out whether there is room. */
const REFUSED_MS = 2_500;

// biome-ignore lint/suspicious/noExplicitAny: a test may read any field
const problemsOf = async (url: string): Promise<any[]> =>
  (await managementApi(url).call('GET', '/api/status')).problems;

/** Sends requests until the first one is refused. @returns the ids of those that were answered */
async function untilRefused(ask: () => Promise<string | undefined>): Promise<string[]> {
  const answered: string[] = [];
  for (;;) {
    const requestId = await ask();
    if (requestId === undefined) return answered;
    answered.push(requestId);
  }
}

/** Makes requests until svc has looked for room more than once. @returns how many of them were answered */
async function keepAsking(ask: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  for (const since = performance.now(); performance.now() - since < REFUSED_MS; )
    if ((await ask()) !== undefined) answered += 1;
  return answered;
}

const changeOf = async (url: string) => {
  const response = await fetch(`${url}/api/firewall/ips`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ip_address: '127.0.0.1' }),
  });
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
};

describe.each(fullDisks('log.sqlite'))('the disk of the log is full ($kind)', ({ reason, open }) => {
  const title = (claim: string) => (reason === undefined ? claim : `${claim} (skipped: ${reason})`);

  async function setUp() {
    const disk = await open();
    const stage = await openStage(disk);
    const [{ at } = { at: undefined }] = stage.pool;
    if (!at) throw new Error('no account');
    at.always(textResponse());
    /** @returns the request's id if its response arrived to its end */
    const ask = async () => {
      const { status, code, ending, requestId } = await sendRequest({
        url: stage.url,
        path: '/v1/responses',
        body: requestBody(),
      });
      if (ending === 'completed') return requestId;
      expect({ status, code }).toEqual({ status: 503, code: 'log_unavailable' });
      return undefined;
    };
    return { disk, stage, at, ask };
  }

  const lostIn = ({ folder }: Stage, requestIds: readonly string[]) => {
    const log = new VerifiedLog(folder);
    log.readNew();
    expect(log.problems).toEqual([]);
    return requestIds.filter((requestId) => !log.completed.has(requestId));
  };

  test.skipIf(reason !== undefined)(
    title('refuses requests before the provider and serves again once there is room, losing nothing'),
    async () => {
      const { disk, stage, at, ask } = await setUp();
      const received = [(await ask()) as string, (await ask()) as string];
      disk.fill();
      received.push(...(await untilRefused(ask)));
      expect(await problemsOf(stage.url)).toContainEqual(
        expect.objectContaining({
          code: 'log_refuses_events',
          cause: expect.stringMatching(/log\.sqlite.*disk is full/),
          remedy: expect.stringMatching(/^Make room/),
        }),
      );
      const reached = at.received.length;
      expect([await keepAsking(ask), at.received.length - reached]).toEqual([0, 0]);
      expect(await changeOf(stage.url)).toEqual([503, 'log_unavailable']);

      disk.makeRoom();
      await vi.waitUntil(async () => (await problemsOf(stage.url)).length === 0, SOON);
      received.push((await ask()) as string, (await ask()) as string);
      expect((await changeOf(stage.url))[0]).toBe(200);
      await vi.waitUntil(async () => (await stage.api.requestLog()).total >= received.length, SOON);
      const { exitCode, stdout, stderr } = await stage.stop();
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
      expect(stdout.filter((line) => /refuses events|accepts events/.test(line))).toEqual([
        expect.stringMatching(/Make room/),
        'The event log accepts events again.',
      ]);
      expect(lostIn(stage, received)).toEqual([]);
    },
  );

  test.skipIf(reason !== undefined)(
    title('loses nothing when it is killed or stopped meanwhile, and starts once there is room'),
    async () => {
      const { disk, stage, ask } = await setUp();
      const received = [(await ask()) as string];
      disk.fill();
      received.push(...(await untilRefused(ask)));
      await stage.service.kill();
      disk.makeRoom();
      await stage.start();
      received.push((await ask()) as string);
      disk.fill();
      received.push(...(await untilRefused(ask)));
      expect((await stage.stop()).exitCode).toBe(0);
      disk.makeRoom();
      await stage.start();
      received.push((await ask()) as string);
      expect(await problemsOf(stage.url)).toEqual([]);
      await stage.stop();
      expect(lostIn(stage, received)).toEqual([]);
    },
  );
});

describe.each(fullDisks('outbox.sqlite'))('the disk of the outbox is full ($kind)', ({ reason, open }) => {
  test.skipIf(reason !== undefined)(
    `refuses requests before the provider and drains all that it answered${reason ? ` (skipped: ${reason})` : ''}`,
    async () => {
      const disk = await open();
      const cluster = await openCluster();
      disk.prepare(await cluster.folderOf('a'));
      const account = cluster.provider.addAccount();
      account.always(textResponse());
      const node = await cluster.node('a', disk.env);
      await node.api.importAccount(account);
      await vi.waitUntil(async () => (await node.ask()) === 200, SOON);
      const ask = async () => {
        const { ending, requestId } = await sendRequest({ url: node.url, path: '/v1/responses', body: requestBody() });
        return ending === 'completed' ? requestId : undefined;
      };
      const received = [(await ask()) as string];
      disk.fill();
      received.push(...(await untilRefused(ask)));
      expect(await problemsOf(node.url)).toContainEqual(
        expect.objectContaining({
          code: 'log_refuses_events',
          cause: expect.stringMatching(/outbox\.sqlite.*disk is full/),
        }),
      );
      const reached = account.received.length;
      expect([await keepAsking(ask), account.received.length - reached]).toEqual([0, 0]);

      disk.makeRoom();
      const isOver = async () => {
        const { problems, outbox } = await node.api.call('GET', '/api/status');
        return problems.length === 0 && outbox.pending === 0;
      };
      await vi.waitUntil(isOver, SOON);
      received.push((await ask()) as string, (await ask()) as string);
      const completed = () =>
        new Set(
          cluster.database.log
            .filter(({ type }) => type === 'RequestCompleted')
            .map(({ data }) => JSON.parse(Buffer.from(data).toString()).requestId),
        );
      await vi.waitUntil(isOver, SOON);
      expect(received.filter((requestId) => !completed().has(requestId))).toEqual([]);
      expect((await node.stop()).stderr).toEqual([]);
    },
  );
});

// A file system of its own is full for the outbox as well, which then is what refuses requests.
describe.each(fullDisks('mirror.sqlite').filter(({ kind }) => kind === 'preloaded library'))(
  'the disk of the mirror is full ($kind)',
  ({ reason, open }) => {
    test.skipIf(reason !== undefined)(
      `names the file, answers requests and shows them once there is room${reason ? ` (skipped: ${reason})` : ''}`,
      async () => {
        const disk = await open();
        const cluster = await openCluster();
        disk.prepare(await cluster.folderOf('a'));
        const account = cluster.provider.addAccount();
        account.always(textResponse());
        const node = await cluster.node('a', disk.env);
        await node.api.importAccount(account);
        await vi.waitUntil(async () => (await node.ask()) === 200, LATER);
        // A loaded machine may have other problems meanwhile.
        const ofMirror = async () => (await problemsOf(node.url)).filter(({ code }) => code === 'mirror_not_written');
        disk.fill();
        await vi.waitUntil(async () => (await node.ask()) === 200 && (await ofMirror()).length > 0, LATER);
        // It stays one fault however often the node tries again.
        for (const since = performance.now(); performance.now() - since < REFUSED_MS; ) {
          expect(await ofMirror()).toEqual([
            expect.objectContaining({
              code: 'mirror_not_written',
              subject: expect.stringMatching(/mirror\.sqlite$/),
              cause: expect.stringMatching(/mirror\.sqlite, .*cannot be written: database or disk is full/),
              remedy: 'Make room on its disk; this node goes on by itself.',
            }),
          ]);
          expect(await node.ask()).toBe(200);
        }
        const { requests: before } = await node.api.call('GET', '/api/request-logs');
        expect((await node.api.call('GET', '/api/status')).events.cut_off_since).not.toBeNull();
        expect(await changeOf(node.url)).toEqual([503, 'log_unavailable']);
        // Other nodes follow the log, so a load balancer should send requests to them.
        expect(await reasonsOf(node.url)).toEqual(['fold_behind']);

        disk.makeRoom();
        await vi.waitUntil(async () => (await ofMirror()).length === 0, LATER);
        await vi.waitUntil(async () => (await reasonsOf(node.url)).length === 0, LATER);
        // The store may have taken the change that was refused.
        await vi.waitUntil(async () => [200, 409].includes((await changeOf(node.url))[0] as number), LATER);
        const { requests, total } = await node.api.call('GET', '/api/request-logs');
        expect([total > before.length, requests[0].status]).toEqual([true, '200']);
        const { stdout, stderr } = await node.stop();
        expect(stderr).toEqual([]);
        // The connection is not said to be lost for it.
        expect(stdout.filter((line: string) => /mirror\.sqlite|disk is full/.test(line))).toEqual([
          expect.stringMatching(/mirror\.sqlite, .*Make room on its disk/),
          expect.stringMatching(/mirror\.sqlite is written again\.$/),
        ]);
      },
      240_000,
    );
  },
);
