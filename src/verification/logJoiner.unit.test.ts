import { expect, test } from 'vitest';
import { chainEvent, NO_HASH } from '../eventLog/hashChain.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import type { Finding } from './finding.ts';
import { LogJoiner } from './logJoiner.ts';
import { PartScanner } from './partScanner.ts';

/** An event with an intact hash, which continues `previousHash`. */
function anEvent(position: number, stream: string, revision: number, previousHash: string): [EventTuple, string] {
  const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
  const event = { id, type: 'IpAllowed', time: position, data: `{"ip":"10.0.0.${position}"}` };
  const actor = '{"kind":"system","reason":"test"}';
  const metadata = `{"schemaVersion":1,"metadataVersion":2,"actor":${actor},"correlationId":"c${position}","node":"n"}`;
  const chained = chainEvent({ ...event, metadata }, stream, revision, previousHash);
  return [[position, stream, revision, id, event.type, 1, event.time, event.data, chained.metadata], chained.hash];
}

/** Six events of one stream. */
function aStream(): EventTuple[] {
  let hash = NO_HASH;
  return Array.from({ length: 6 }, (_, revision) => {
    const [event, next] = anEvent(revision + 1, 'firewall-main', revision, hash);
    hash = next;
    return event;
  });
}

/** Joins the events in parts of this size. */
function join(events: readonly EventTuple[], size: number, acceptedUpTo = 0) {
  const joiner = new LogJoiner({ after: 0, headBefore: () => undefined });
  const scanner = new PartScanner([]);
  for (let at = 0; at < events.length; at += size) joiner.add(scanner.scan(events.slice(at, at + size)));
  const shown = ({ kind, position }: Finding) => `${kind} at ${position}`;
  return {
    findings: joiner.findings(acceptedUpTo).map(shown),
    accepted: joiner.accepted(acceptedUpTo).map(shown),
  };
}

const at = ([, ...event]: EventTuple, position: number): EventTuple => [position, ...event];
const [e1, e2, e3, e4, e5, e6] = aStream() as [EventTuple, EventTuple, EventTuple, EventTuple, EventTuple, EventTuple];

const cases: readonly [string, readonly EventTuple[], readonly string[]][] = [
  ['nothing in an intact stream', [e1, e2, e3, e4, e5, e6], []],
  ['a missing event', [e1, e2, e4, e5, e6], ['deleted at 3']],
  ['a missing event of a renumbered log', [e1, e2, at(e4, 3), at(e5, 4)], ['deleted at 3']],
  ['a missing beginning', [e3, e4], ['deleted at 1']],
  ['two events that changed places', [e1, e2, at(e4, 3), at(e3, 4), e5], ['reordered at 4']],
  [
    'a second event at a revision',
    [e1, e2, e3, at(anEvent(9, 'firewall-main', 2, 'f'.repeat(64))[0], 4)],
    ['forked at 4'],
  ],
  [
    'an event with a new hash',
    [e1, e2, anEvent(3, 'firewall-main', 2, NO_HASH)[0], e4],
    ['rehashed at 2', 'rehashed at 3'],
  ],
];

test.each(cases)('finds %s, however the log is divided', (_, events, findings) => {
  for (const size of [1, 2, 3, 10]) expect(join(events, size).findings, `parts of ${size}`).toEqual(findings);
});

test('accepts gaps up to an accepted loss and names them, but no event that was edited', () => {
  expect(join([e1, e2, e4, e5], 2, 5)).toEqual({ findings: [], accepted: ['deleted at 3'] });
  expect(join([e1, e2, at(e4, 3), at(e5, 4)], 2, 4)).toEqual({ findings: [], accepted: ['deleted at 3'] });
  const edited = e2.with(7, '{"ip":"10.9.9.9"}') as unknown as EventTuple;
  expect(join([e1, edited, e4, e5], 2, 5)).toEqual({ findings: ['edited at 2'], accepted: ['deleted at 3'] });
  const rehashed = anEvent(3, 'firewall-main', 2, NO_HASH)[0];
  expect(join([e1, e2, rehashed, e4], 2, 5)).toEqual({ findings: [], accepted: ['rehashed at 2', 'rehashed at 3'] });
});
