import { expect, test } from 'vitest';
import { ip } from '../../../test/support/specification.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { Checkpoints, checkpointOf, type KeptCheckpoint } from '../fold/checkpoints.ts';
import { HotState } from '../fold/hotState.ts';
import { encodeGroups, storedCheckpoints } from './checkpointGroups.ts';

const STRETCHES = [{ after: position(0), from: instant(1), latest: instant(40) }];

/** Checkpoints at 1, 2, ... with as many addresses. */
const kept = (from: number, upTo: number): KeptCheckpoint[] =>
  Array.from({ length: upTo - from + 1 }, (_, index) => {
    const state = new HotState();
    state.position = position(from + index);
    const addresses = Array.from({ length: from + index }, (_, host) => ip(`10.0.0.${host}`));
    state.firewall = new Map(addresses.map((address) => [address, { allowedAt: instant(1) }]));
    return checkpointOf(state, instant(from + index));
  });

/** The checkpoints as a snapshot returns them. @param damaged number of a group that cannot be read */
function stored(checkpoints: readonly KeptCheckpoint[], damaged?: number) {
  const groups = [...encodeGroups(checkpoints)];
  const read: number[] = [];
  const bytesOf = (group: number) => {
    read.push(group);
    return group === damaged ? undefined : groups[group]?.bytes;
  };
  const sizes = groups.map(({ size }) => size);
  return { groups, sizes, read, checkpoints: storedCheckpoints(checkpoints, sizes, bytesOf) };
}

const addresses = (checkpoints: readonly KeptCheckpoint[]) =>
  checkpoints.map((checkpoint) => checkpoint.read()?.firewall.size);

test('returns each state as it was kept', () => {
  const { checkpoints, sizes } = stored(kept(1, 35));
  expect(sizes).toEqual([16, 16, 3]);
  expect(addresses(checkpoints)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  expect(checkpoints.map(({ position, latest, subjects }) => [position, latest, subjects])).toEqual(
    kept(1, 35).map(({ position, latest, subjects }) => [position, latest, subjects]),
  );
});

test('reads only the group of the checkpoint that is asked for', () => {
  const { checkpoints, read } = stored(kept(1, 35));
  const found = Checkpoints.from({ stretches: STRETCHES, spacing: 1, kept: checkpoints }).atPosition(position(20));
  expect({ size: found.state.firewall.size, read }).toEqual({ size: 20, read: [1] });
});

test('uses an earlier checkpoint when a group cannot be read', () => {
  const { checkpoints } = stored(kept(1, 35), 1);
  const all = Checkpoints.from({ stretches: STRETCHES, spacing: 1, kept: checkpoints });
  expect([7, 20, 33].map((at) => all.atPosition(position(at)).state.position)).toEqual([7, 16, 33]);
});

test('passes full groups of the snapshot before on, and regroups what follows', () => {
  const before = stored(kept(1, 35));
  const after = stored([...before.checkpoints, ...kept(36, 60)]);
  expect(after.sizes).toEqual([16, 16, 16, 12]);
  expect(after.groups.slice(0, 2).map(({ bytes }) => bytes)).toEqual(
    before.groups.slice(0, 2).map(({ bytes }) => bytes),
  );
  expect(after.groups[0]?.bytes).toBe(before.groups[0]?.bytes);
  expect(addresses(after.checkpoints)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

test('regroups the others when every second checkpoint was dropped', () => {
  const before = stored(kept(1, 80));
  const thinned = before.checkpoints.filter(({ position }) => position % 2 === 0);
  const after = stored(thinned);
  expect(after.sizes).toEqual([16, 16, 8]);
  expect(addresses(after.checkpoints)).toEqual(Array.from({ length: 40 }, (_, index) => 2 * index + 2));
});

test('refuses to write a checkpoint that cannot be read', () => {
  const { checkpoints } = stored(kept(1, 16), 0);
  expect(() => [...encodeGroups(checkpoints.slice(1))]).toThrow(/checkpoint at 2 .* cannot be read/);
});
