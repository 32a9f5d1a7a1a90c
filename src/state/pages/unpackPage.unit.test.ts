import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyHistory } from '../../../test/support/histories.ts';
import { completed } from '../../../test/support/management.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { emptyFold } from '../fold/fold.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import { dataOf, textOf } from '../snapshots/foldData.ts';
import { PagePacker } from './packPage.ts';
import { PageUnpacker } from './unpackPage.ts';

const rowOf = ({ position, stream, revision, type, time, data }: RecordedEvent): EventColumns => {
  const version = eventTypes.get(type)?.version ?? 0;
  return [position, stream, revision, type, version, time, JSON.stringify(data)];
};

/** As they come from another thread: all are opened before the first is looked at. */
function throughPages(rows: readonly EventColumns[], size: number) {
  const [packer, unpacker] = [new PagePacker(), new PageUnpacker()];
  const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, page) => page * size);
  const pages = starts.map((start) => structuredClone(packer.pack(rows.slice(start, start + size))));
  return { packed: pages, opened: pages.map((page) => unpacker.open(page)).map((open) => open()) };
}

function folded(events: readonly FoldedEvent[]): string {
  const fold = emptyFold();
  for (const event of events) {
    fold.state.apply(event);
    fold.checkpoints.onFolded(fold.state, event);
  }
  return textOf(dataOf(fold));
}

/** As many requests, each with a conversation of its own. */
const manyTexts = (count: number): EventColumns[] =>
  Array.from({ length: count }, (_, index) => {
    const { attempts, ...request } = completed().data;
    const data = { ...request, pin: { digest: `digest ${index}`, isFallback: false }, attempts };
    return [index + 1, 'requests-n1.b1_20260115', index, 'RequestCompleted', 1, index, JSON.stringify(data)];
  });

test('a fold of unpacked pages is the fold of what parsing gives', () => {
  let packed = 0;
  fc.assert(
    fc.property(anyHistory({ minLength: 50, maxLength: 100 }), fc.integer({ min: 1, max: 40 }), (history, size) => {
      const pages = throughPages(history.map(rowOf), size);
      for (const { requests } of pages.packed) packed += requests;
      expect(pages.opened.some(({ failure }) => failure)).toBe(false);
      expect(folded(pages.opened.flatMap(({ events }) => events))).toBe(folded(history));
    }),
    { numRuns: 30 },
  );
  expect(packed).toBeGreaterThan(100);
});

test('texts that begin anew leave the pages alone that were opened before', () => {
  const pages = throughPages(manyTexts(45_000), 1_000);
  expect(pages.packed.filter(({ beginsAnew }) => beginsAnew)).toHaveLength(2);
  const digests = pages.opened.flatMap(({ events }) =>
    events.map((event) => (event.type === 'RequestCompleted' ? event.data.pin?.digest : undefined)),
  );
  expect(digests).toEqual(Array.from({ length: 45_000 }, (_, index) => `digest ${index}`));
});

test('a page ends before the first event that this build does not know, and says so', () => {
  const rows = manyTexts(4);
  rows[2] = [3, 'future-main', 0, 'FutureEvent', 1, 0, '{}'];
  const [page] = throughPages(rows, 10).opened;
  expect(page?.events.map(({ position }) => position)).toEqual([1, 2]);
  expect(page?.failure?.message).toContain('FutureEvent');
});

test('a page without requests, and one without anything, are pages', () => {
  const [page] = throughPages([[1, 'firewall-main', 0, 'IpAllowed', 1, 0, '{"ip":"10.0.0.1"}']], 10).opened;
  expect(page?.events).toMatchObject([{ type: 'IpAllowed', data: { ip: '10.0.0.1' } }]);
  expect(new PageUnpacker().open(new PagePacker().pack([]))()).toEqual({ events: [] });
});
