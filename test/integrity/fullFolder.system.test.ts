import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readPublished } from '../../src/integrity/published/readPublished.ts';
import { startCheckpoints } from '../support/integrity/checkpointsUnderTest.ts';
import { temporaryFolder } from '../support/management.ts';

vi.setConfig({ testTimeout: 60_000 });

const soon = { timeout: 30_000, interval: 10 };
const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
const unmount = (folder: string) => spawnSync('umount', ['-l', folder]);

function whyNoMount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const isMounted = mount('-t', 'tmpfs', 'none', folder);
  if (isMounted) unmount(folder);
  rmdirSync(folder);
  return isMounted ? undefined : 'this user may not mount';
}

const reason = whyNoMount();

describe.skipIf(reason)(`a folder of checkpoints on a disk of its own${reason ? ` (skipped: ${reason})` : ''}`, () => {
  test('that is full or read-only is one fault, and gets everything afterwards', async () => {
    const published = temporaryFolder();
    mount('-t', 'tmpfs', '-o', 'size=64k', 'none', published);
    onTestFinished(() => void unmount(published));
    const { tree, checkpoints, codes, lines } = startCheckpoints({ places: { folder: published } });
    const sizes = () => readPublished(published).checkpoints.map(({ size }) => size);
    const sign = async () => {
      tree.grow(1);
      await vi.waitFor(() => expect(checkpoints.latest()?.size).toBe(tree.size), soon);
    };
    await sign();
    await vi.waitFor(() => expect(sizes()).toEqual([1]), soon);

    const ballast = join(published, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(100_000))).toThrow('no space');
    await sign();
    await sign();
    await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
    expect(lines.at(-1)).toContain('Make room on its disk');
    rmSync(ballast);
    await vi.waitFor(() => expect(sizes()).toEqual([1, 2, 3]), soon);
    await vi.waitFor(() => expect(codes()).toEqual([]), soon);

    expect(mount('-o', 'remount,ro', published)).toBe(true);
    await sign();
    await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
    expect(lines.at(-1)).toContain('Mount it writable');
    expect(mount('-o', 'remount,rw', published)).toBe(true);
    await vi.waitFor(() => expect(sizes()).toEqual([1, 2, 3, 4]), soon);
    await vi.waitFor(() => expect(codes()).toEqual([]), soon);
    expect(lines).toHaveLength(4);
  });
});
