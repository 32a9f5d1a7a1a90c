import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { everyKind, foldHistory } from '../../../test/support/everyKind.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { dataOf } from '../snapshots/dataOf.support.ts';

/**
 * The hot state that fold version 3 made of the first 302 events of `test/histories/everyKind.ndjson`, written by the commit
 * before version 2 of the request events (b57ed0d7). It is never changed: what it has, later folds of these events have too.
 */
const GOLDEN = { events: 302, file: 'stateOfFold3.json' };

// biome-ignore lint/suspicious/noExplicitAny: any part of a state
type Part = any;
const golden: Part = JSON.parse(
  readFileSync(new URL(`../../../test/histories/${GOLDEN.file}`, import.meta.url), 'utf8'),
);

/** The windows that a counter had then, in the form of today's: fields of the last one and the one before, if there was one. */
const asListOfWindows = ({ window, value, windowBefore, valueBefore }: Part): number[] => [
  window,
  value,
  ...(windowBefore === -1 ? [] : [windowBefore, valueBefore]),
];

test('folds events of earlier versions to the state that those versions made of them', () => {
  const { counters: countersBefore, ...before } = golden;
  const fold = foldHistory(everyKind.slice(0, GOLDEN.events));
  const { counters, ...state }: Part = JSON.parse(canonicalText(dataOf(fold).state));
  // New parts and fields may have joined.
  expect(state).toMatchObject(before);
  expect(counters.length).toBe(countersBefore.length);
  for (const [index, [keyId, { byRule, ...rest }]] of countersBefore.entries()) {
    const [keyIdNow, { byRule: byRuleNow, ...restNow }] = counters[index];
    expect([keyIdNow, restNow]).toMatchObject([keyId, rest]);
    // A counter keeps more earlier windows now.
    const windows = byRule.map(([rule, counter]: Part) => [rule, asListOfWindows(counter)]);
    expect(byRuleNow.map(([rule, list]: Part, at: number) => [rule, list.slice(0, windows[at][1].length)])).toEqual(
      windows,
    );
  }
});
