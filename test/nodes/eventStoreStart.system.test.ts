import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../durability/support/serve.ts';
import { FakeDatabase } from '../support/eventstore/fakeDatabase.ts';
import { type FakeEventStore, startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startGateway } from '../support/gateway.ts';

const SLOW = { timeout: 120_000 };
const DOWN_MS = 50;

/** A server that crashes at its nth call, and restarts shortly afterwards with the same database. */
async function startCrashingServer() {
  const database = new FakeDatabase();
  let server: FakeEventStore;
  let callsLeft = Number.POSITIVE_INFINITY;
  let restarting: Promise<unknown> = Promise.resolve();
  const start = async (port = 0) => {
    server = await startFakeEventStore({ database, port, onCall });
  };
  function onCall(): void {
    callsLeft -= 1;
    if (callsLeft !== 0) return;
    const { port } = server;
    restarting = server
      .kill()
      .then(() => new Promise((resolve) => setTimeout(resolve, DOWN_MS)))
      .then(() => start(port));
  }
  await start();
  onTestFinished(async () => {
    await restarting;
    await server.kill();
  });
  return {
    url: () => server.url,
    crashAt: (call: number) => {
      callsLeft = call;
    },
    /** @returns whether the server crashed since `crashAt` */
    async hasDied() {
      const hasDied = callsLeft <= 0;
      callsLeft = Number.POSITIVE_INFINITY;
      await restarting;
      return hasDied;
    },
  };
}

test('waits at the start, with a line, whichever call the server crashes at', SLOW, async () => {
  const server = await startCrashingServer();
  const env = { SVC_EVENTSTORE_URL: server.url(), SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const gateway = await startGateway({ accounts: 1, env });
  onTestFinished(() => gateway.stop());
  let waits = 0;
  for (let call = 1; ; call += 1) {
    await gateway.stopService();
    gateway.output.length = 0;
    server.crashAt(call);
    await gateway.restart();
    const hasWaited = gateway.output.some((line) => /cannot be used yet \(attempt 1, next in 1 s\)/.test(line));
    if (hasWaited) waits += 1;
    expect((await gateway.ask()).status, `died at call ${call}`).toBe(200);
    if (!(await server.hasDied()) || call === 14) break;
  }
  // The calls for the version, the end of $all, the installation key, the data keys, the outbox and the settings.
  expect(waits).toBeGreaterThanOrEqual(5);
});

test('refuses to start without SVC_ENCRYPTION_KEY before it connects to the server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { exitCode, stderr } = await serve({ folder, env: { SVC_EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false' } })
    .ended;
  expect([exitCode, stderr]).toEqual([1, [expect.stringMatching(/^SVC_ENCRYPTION_KEY is required with/)]]);
});
