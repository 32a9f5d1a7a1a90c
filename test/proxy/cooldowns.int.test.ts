import { afterEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { serverError, textResponse } from '../support/provider/scripts.ts';

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

test('doubles the cool-down with each failure and resets it with a success', async () => {
  gateway = await startGateway();
  const [only] = gateway.pool;
  if (!only) throw new Error('no account');
  let now = Date.now();
  clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  /** Waits until the cool-down has passed. @returns its length */
  const coolsForMs = async () => {
    only.at.next(serverError());
    expect((await gateway.ask()).status).toBe(502);
    const { state, until } = await gateway.availability(only.id);
    expect(state).toBe('cooling');
    const lengthMs = Date.parse(until) - now;
    now += lengthMs;
    expect(await gateway.availability(only.id)).toMatchObject({ state: 'available' });
    return lengthMs;
  };

  const before = [await coolsForMs(), await coolsForMs(), await coolsForMs()];
  only.at.next(textResponse());
  const response = await gateway.ask();
  expect(await response.text()).toContain('response.completed');
  const after = [await coolsForMs(), await coolsForMs()];
  expect({ before, after }).toEqual({ before: [1_000, 2_000, 4_000], after: [1_000, 2_000] });
});
