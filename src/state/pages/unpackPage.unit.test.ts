import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyHistory } from '../../../test/support/histories.ts';
import { completed } from '../../../test/support/management.ts';
import { accountId, importedAccount, NOW, recorded } from '../../../test/support/specification.ts';
import { AccountImported } from '../../domain/account/events.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import type { Attempt } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { emptyFold } from '../fold/fold.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { dataOf } from '../snapshots/dataOf.support.ts';
import { PagePacker } from './packPage.ts';
import { PageUnpacker } from './unpackPage.ts';

const rowOf = ({ position, stream, revision, type, time, data }: RecordedEvent): EventColumns => {
  const version = eventTypes.get(type)?.version ?? 0;
  return [position, stream, revision, type, version, time, JSON.stringify(data)];
};

/** As pages arrive from another thread: all are opened before the first is read. */
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
  return canonicalText(dataOf(fold));
}

/** Requests that each belong to a conversation of their own. */
const manyTexts = (count: number): EventColumns[] =>
  Array.from({ length: count }, (_, index) => {
    const { attempts, ...request } = completed().data;
    const data = { ...request, pin: { digest: `digest ${index}`, isFallback: false }, attempts };
    return [index + 1, 'requests-n1.b1_20260115', index, 'RequestCompleted', 1, index, JSON.stringify(data)];
  });

test('unpacked pages fold to the same state as parsed events', () => {
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
  expect(packed).toBeGreaterThan(30);
});

test('unpacked pages count attempts as parsed events do', () => {
  const decision = { decidedAt: 1, asOf: NOW, v: 3 } as Pick<Attempt, 'decidedAt' | 'asOf' | 'v'>;
  const attempt = (name: number, outcome: string, more: Partial<Attempt> = {}): Attempt => ({
    ...decision,
    accountId: accountId(name),
    startedAt: NOW,
    endedAt: NOW,
    outcome,
    ...more,
  });
  const requests = [
    completed({ accountId: accountId(1), attempts: [attempt(1, 'ok')] }),
    completed({ accountId: accountId(2), attempts: [attempt(1, 'unreachable'), attempt(2, 'ok')] }),
    completed({ accountId: accountId(1), attempts: [attempt(2, 'cut', { providerStatus: 200 }), attempt(1, 'ok')] }),
    completed({ accountId: accountId(1), attempts: [attempt(1, 'client_gone')], status: 'error', usage: null }),
    completed({ accountId: accountId(2), attempts: [attempt(2, 'provider_error')], status: '502', usage: null }),
    completed({ accountId: accountId(2), attempts: [], status: 'error' }),
  ];
  const history = [1, 2]
    .map((name) => AccountImported(importedAccount({ accountId: accountId(name) })) as DomainEvent)
    .concat(requests)
    .map((event, index) => recorded(event, index) as RecordedEvent);
  const [page] = throughPages(history.map(rowOf), 100).opened;
  expect(page?.events.filter(({ type }) => type === 'RequestCompleted')).toHaveLength(requests.length);
  expect(folded(page?.events ?? [])).toBe(folded(history));
});

test('a reset of the texts leaves pages that were opened before unchanged', () => {
  const pages = throughPages(manyTexts(45_000), 1_000);
  expect(pages.packed.filter(({ resetsTexts }) => resetsTexts)).toHaveLength(2);
  const digests = pages.opened.flatMap(({ events }) =>
    events.map((event) => (event.type === 'RequestCompleted' ? event.data.pin?.digest : undefined)),
  );
  expect(digests).toEqual(Array.from({ length: 45_000 }, (_, index) => `digest ${index}`));
});

test('a page ends before the first event of an unknown type and reports it', () => {
  const rows = manyTexts(4);
  rows[2] = [3, 'future-main', 0, 'FutureEvent', 1, 0, '{}'];
  const [page] = throughPages(rows, 10).opened;
  expect(page?.events.map(({ position }) => position)).toEqual([1, 2]);
  expect(page?.failure?.message).toContain('FutureEvent');
});

test('packs a page without requests and an empty page', () => {
  const [page] = throughPages([[1, 'firewall-main', 0, 'IpAllowed', 1, 0, '{"ip":"10.0.0.1"}']], 10).opened;
  expect(page?.events).toMatchObject([{ type: 'IpAllowed', data: { ip: '10.0.0.1' } }]);
  expect(new PageUnpacker().open(new PagePacker().pack([]))()).toEqual({ events: [] });
});
