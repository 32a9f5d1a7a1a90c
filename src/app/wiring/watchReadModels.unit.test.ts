import { expect, test, vi } from 'vitest';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { watchReadModels } from './watchReadModels.ts';

test('says that the read models lack events older than the interval, and that they are complete again', async () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const hot = { state: { position: position(10) } };
  let reached: Position | Error = position(10);
  const progress = {
    reached: async () => {
      if (reached instanceof Error) throw reached;
      return reached;
    },
  };
  const stop = watchReadModels({ hot, progress, faults, everyMs: 1_000 });
  hot.state.position = position(15);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines).toEqual([expect.stringContaining('lack 5 events')]);
  reached = new Error('MongoDB is away');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(faults.current).toMatchObject([{ cause: expect.stringContaining('MongoDB is away') }]);
  reached = position(15);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(faults.current).toEqual([]);
  stop();
  reached = position(0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toHaveLength(2);
  vi.useRealTimers();
});
