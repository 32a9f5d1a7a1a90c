import { describe, expect, test } from 'vitest';
import type { CheckpointStream } from '../../src/eventLog/checkpointStream.ts';

export interface CheckpointStreamUnderTest extends AsyncDisposable {
  readonly checkpoints: CheckpointStream;
}

/** The contract of `CheckpointStream`, run against one adapter. The stream may have entries of other tests. */
export function describeCheckpointStream(name: string, create: () => Promise<CheckpointStreamUnderTest>): void {
  describe(`${name}: checkpoint stream`, () => {
    test('returns entries in order, from any place on', async () => {
      await using stage = await create();
      const { checkpoints } = stage;
      const before = await checkpoints.count();
      expect(await checkpoints.readAfter(before)).toEqual([]);
      for (let entry = 0; entry < 3; entry += 1) expect(await checkpoints.append(before + entry, { entry })).toBe(true);
      expect(await checkpoints.count()).toBe(before + 3);
      expect(await checkpoints.readAfter(before)).toEqual([{ entry: 0 }, { entry: 1 }, { entry: 2 }]);
      expect(await checkpoints.readAfter(before + 2)).toEqual([{ entry: 2 }]);
      expect(await checkpoints.readAfter(before + 3)).toEqual([]);
    });

    test('says that entries are missing that were there', async () => {
      await using stage = await create();
      expect(await stage.checkpoints.readAfter((await stage.checkpoints.count()) + 1)).toBeUndefined();
    });

    test('lets one of many concurrent appends win', async () => {
      await using stage = await create();
      const { checkpoints } = stage;
      const before = await checkpoints.count();
      const appended = await Promise.all(
        Array.from({ length: 10 }, (_, entry) => checkpoints.append(before, { entry })),
      );
      expect(appended.filter((isWritten) => isWritten)).toHaveLength(1);
      expect(await checkpoints.readAfter(before)).toEqual([{ entry: appended.indexOf(true) }]);
    });
  });
}
