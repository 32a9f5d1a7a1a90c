import { describe, expect, test } from 'vitest';
import { sealedHistories } from '../../../test/support/archives/sealedHistories.ts';
import { everyKind, foldHistory, foldOn } from '../../../test/support/everyKind.ts';
import { partsOf } from '../../../test/support/partsOf.ts';
import { FOLD_VERSION } from './foldVersion.ts';
import { decodeSealedState, encodeSealedState, SealedStateUnreadable } from './sealedFold.ts';
import { FIRST_SEALED_VERSION, missingUpcasters, type SealedState, upcastSealedState } from './sealedUpcasters.ts';

const goldens = sealedHistories();

const INSTRUCTIONS = `The fold was changed, and archives have states of earlier versions that cannot be made again. Add a step to
UPCASTERS in src/state/snapshots/sealedUpcasters.ts ("unchanged" when parts of the state are only new and empty), then run
"node test/support/archives/sealHistory.ts" (CONTRIBUTING.md, "Change the fold").`;

test('has a step for each version of the fold that has sealed states', () => {
  expect(missingUpcasters(), INSTRUCTIONS).toEqual([]);
});

test('each version of the fold has left what it sealed of the history of every kind', () => {
  const versions = Array.from(
    { length: FOLD_VERSION - FIRST_SEALED_VERSION + 1 },
    (_, at) => FIRST_SEALED_VERSION + at,
  );
  expect([...goldens.keys()], INSTRUCTIONS).toEqual(versions);
});

describe.each([...goldens])('the state that version %s of the fold has sealed', (version, bytes) => {
  test('is the state that this version folds from the same events', () => {
    const sealed = decodeSealedState(bytes, version, 'the golden state');
    expect(sealed.state.position).toBeGreaterThan(0);
    const folded = foldHistory(everyKind.slice(0, sealed.state.position));
    expect(partsOf(sealed), INSTRUCTIONS).toEqual(partsOf(folded));
  });

  test('folds on to the state of the whole history', () => {
    const sealed = decodeSealedState(bytes, version, 'the golden state');
    foldOn(sealed, everyKind);
    expect(partsOf(sealed), INSTRUCTIONS).toEqual(partsOf(foldHistory(everyKind)));
  });
});

test('reads back what it seals, in the middle of the history', () => {
  const half = everyKind.length >> 1;
  const fold = decodeSealedState(encodeSealedState(foldHistory(everyKind.slice(0, half))), FOLD_VERSION, 'a state');
  foldOn(fold, everyKind);
  expect(partsOf(fold)).toEqual(partsOf(foldHistory(everyKind)));
});

test('takes one step after the other from the version that sealed a state', () => {
  const sealed = { stretches: [] } as unknown as SealedState;
  const step = (name: string) => (before: SealedState) =>
    ({ stretches: [...before.stretches, name] }) as unknown as SealedState;
  const steps = { 17: step('17 to 18'), 18: step('18 to 19'), 20: step('20 to 21') };
  expect(upcastSealedState(sealed, 17, steps, 19)?.stretches).toEqual(['17 to 18', '18 to 19']);
  expect(upcastSealedState(sealed, 18, steps, 19)?.stretches).toEqual(['18 to 19']);
  expect(upcastSealedState(sealed, 19, steps, 19)?.stretches).toEqual([]);
  expect(upcastSealedState(sealed, 18, steps, 21)).toBeUndefined();
  expect(missingUpcasters(steps, 21)).toEqual([19]);
});

test('refuses a state of a newer version, and one that it has no step for, and says what to do', () => {
  const [[version, bytes] = [0, Buffer.alloc(0)]] = goldens;
  const decode = (of: number) => () => decodeSealedState(bytes, of, 'segment 3 in archive.sqlite');
  expect(decode(FOLD_VERSION + 1)).toThrow(
    new SealedStateUnreadable('A newer svc sealed segment 3 in archive.sqlite. Start that version.'),
  );
  expect(decode(version - 1)).toThrow(
    /Version 16 of the fold sealed segment 3 .* restore it with "svc restore-archive"/,
  );
});
