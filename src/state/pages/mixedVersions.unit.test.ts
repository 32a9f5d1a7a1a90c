import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { inventedRequestV3, toVersion3, useVersion3 } from '../../../test/support/storedRequests.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { toRecordedEvent } from '../../eventLog/sqlite/reader.ts';
import { emptyFold } from '../fold/fold.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { dataOf } from '../snapshots/dataOf.support.ts';
import { createFoldedRequestReader, type FoldedRequestReaders, foldedRequestReaders } from './foldedRequestReaders.ts';
import { PagePacker } from './packPage.ts';
import { PageUnpacker } from './unpackPage.ts';

const EVENTS = 60;

/** A log in which every third request is of the made-up version 3. */
const rows = Array.from({ length: EVENTS }, (_, index): EventColumns => {
  const version = index % 3 === 2 ? 3 : 2;
  const { attempts, ...request } = completed({ requestId: `req_${index}`, model: `model ${index % 5}` }).data;
  const data = { ...request, pin: { digest: `digest ${index % 7}`, isFallback: false }, attempts };
  const stored = version === 3 ? toVersion3(data) : data;
  return [index + 1, 'requests-n1.b1_20260115', index, 'RequestCompleted', version, index, JSON.stringify(stored)];
});

function fold(events: readonly FoldedEvent[]): string {
  const folded = emptyFold();
  for (const event of events) {
    folded.state.apply(event);
    folded.checkpoints.onFolded(folded.state, event);
  }
  return canonicalText(dataOf(folded));
}

function throughPage(readers: FoldedRequestReaders) {
  const page = new PagePacker(readers).pack(rows);
  return { readFast: page.requests, ...new PageUnpacker().open(page)() };
}

test('a version without a fast reader is folded through the schema', () => {
  useVersion3();
  const { readFast, events, failure } = throughPage(foldedRequestReaders);
  expect(failure).toBeUndefined();
  expect(readFast).toBe((EVENTS / 3) * 2);
  expect(fold(events)).toBe(fold(rows.map(toRecordedEvent)));
});

test('a version with a fast reader is folded beside version 2, each by its own reader', () => {
  useVersion3();
  const { readFast, events } = throughPage({ ...foldedRequestReaders, 3: createVersion3Reader() });
  expect(readFast).toBe(EVENTS);
  expect(events.map((event) => event.type === 'RequestCompleted' && event.data.requestId)).toEqual(
    rows.map((_, index) => `req_${index}`),
  );
  expect(fold(events)).toBe(fold(rows.map(toRecordedEvent)));
});

test('a reader reads no other version', () => {
  const [[, , , , , , version2], , [, , , , , , version3]] = rows as [EventColumns, EventColumns, EventColumns];
  expect(foldedRequestReaders[2](version3)).toBeNull();
  expect(createVersion3Reader()(version2)).toBeNull();
});

const createVersion3Reader = () => createFoldedRequestReader(inventedRequestV3);
