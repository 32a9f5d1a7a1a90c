import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Faults } from '../../lib/faults.ts';
import { parseOutgoingProxy } from './outgoingProxy.ts';
import { ProxyFailure, type ProxyFailureCode } from './proxyFailure.ts';
import { ProxyHealth } from './proxyHealth.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const proxy = parseOutgoingProxy('http://user:secret@proxy.test:3128');

function start() {
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: Date.now });
  const health = new ProxyHealth({ faults, probeMs: 15_000, calmMs: 10_000 });
  let failing: ProxyFailureCode | undefined;
  let opened = 0;
  const open = health.watch(proxy, async () => {
    opened += 1;
    if (failing) throw new ProxyFailure(failing, proxy.name, 'does not do it');
    return new Socket();
  });
  return {
    lines,
    faults,
    health,
    opened: () => opened,
    fail: (code: ProxyFailureCode | undefined) => {
      failing = code;
    },
    open: () =>
      open().then(
        () => 'opened',
        (error: ProxyFailure) => error.code,
      ),
  };
}

test('a proxy that fails is a problem, said once, with host and port, cause and remedy', async () => {
  const { faults, lines, fail, open } = start();
  fail('proxy_auth_required');
  for (let turn = 0; turn < 3; turn++) expect(await open()).toBe('proxy_auth_required');
  expect(faults.current).toMatchObject([
    {
      code: 'outgoing_proxy_failing',
      subject: 'proxy.test:3128',
      cause: expect.stringContaining('The proxy proxy.test:3128 does not do it. Requests through it fail'),
      remedy: expect.stringContaining('Correct the user name and password'),
    },
  ]);
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain('secret');
});

test('the problem shows the latest cause', async () => {
  const { faults, fail, open } = start();
  fail('proxy_unreachable');
  await open();
  fail('proxy_tls');
  await open();
  expect(faults.current).toMatchObject([{ remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') }]);
});

test('a success ends it only once the proxy has not failed for a while', async () => {
  const { faults, lines, fail, open } = start();
  fail('proxy_closed');
  await open();
  fail(undefined);
  expect(await open()).toBe('opened');
  expect(faults.current).toHaveLength(1);
  vi.advanceTimersByTime(10_000);
  expect(await open()).toBe('opened');
  expect(faults.current).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('does not do it'), 'The proxy proxy.test:3128 works again.']);
});

test('it is over by itself, without a request', async () => {
  const { faults, fail, open, opened } = start();
  fail('proxy_unreachable');
  await open();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(faults.current).toHaveLength(1);
  fail(undefined);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(faults.current).toEqual([]);
  const before = opened();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened()).toBe(before);
});

test('after a timeout, calls fail at once for a second', async () => {
  const { fail, open, opened } = start();
  fail('proxy_timeout');
  for (let turn = 0; turn < 5; turn++) expect(await open()).toBe('proxy_timeout');
  expect(opened()).toBe(1);
  vi.advanceTimersByTime(1_000);
  fail(undefined);
  expect(await open()).toBe('opened');
});

test('it ends when nobody uses the proxy any more', async () => {
  const { faults, health, fail, open, opened } = start();
  fail('proxy_unreachable');
  await open();
  health.keepOnly(new Set(['proxy.test:3128']));
  expect(faults.current).toHaveLength(1);
  health.keepOnly(new Set());
  expect(faults.current).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened()).toBe(1);
});
