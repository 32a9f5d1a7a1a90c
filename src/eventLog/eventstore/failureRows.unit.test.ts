import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Each row of the tables of failures in event-sourcing.md, and the test that plays it through the adapter. What the tables
// say of batch appends is played by `test/support/eventstore` only: svc never makes one.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const appends = 'src/eventLog/eventstore/appendFailures.int.test.ts';
const follows = 'src/eventLog/eventstore/followFailures.int.test.ts';
const tls = 'src/eventLog/eventstore/client/tls.int.test.ts';
const refusing = 'test/contract/eventLog/refusing.ts';
const repeating = 'test/contract/eventLog/repeating.ts';
const fake = 'test/support/eventstore/fakeEventStore.int.test.ts';

const rows: readonly [row: string, file: string, title: string][] = [
  ['B1.0 a repeat answers as the first time', repeating, 'answers as the first time when the stream has moved on, and'],
  ['B1.0 partial repeats', repeating, 'of its beginning or its end at the right revision is a repeat too'],
  ['B1.0 old and new mixed, or reordered', repeating, 'mixed with new events, or in another order, is a conflict'],
  ['B1.0 same ids at the new tip', appends, 'an id that stands elsewhere in the log is rejected, although the server'],
  ['B1.0 an empty event list', refusing, 'refuses an append without events'],
  ['B1.0 "any" is written twice', refusing, '"any" as revision'],
  ['B1.0 SIGKILL with 400 appends queued', appends, 'a server that is killed with 400 appends queued'],
  ['B1.0 append while the server is down', appends, 'while the server is down an append is unknown at once'],
  ['B1.0 server starting', appends, 'sent to a server that starts'],
  ['B1.0 SIGTERM, 23.10', follows, 'is refused in one clear line'],
  ['B1.0 SIGTERM, 24.2', appends, 'a server that shuts down in order writes what it times out on'],
  ['B1.0 server frozen', appends, 'a server that stands still leaves an append unknown at its deadline'],
  ['B1.0 id not a UUID', refusing, 'an id that is no UUID'],
  ['B1.0 empty type', refusing, 'an unknown type'],
  ['B1.0 BigInt in data', refusing, 'a BigInt'],
  ["B1.0 another client's connection is cut", appends, 'when the connection of one node is cut the appends of another'],
  ['B1.0 more than 1,048,576 bytes of data', appends, 'more data than the server takes at once is rejected, alone'],
  ['B1.0 20 MB message', appends, 'a message of 20 MB is rejected'],
  ['B1.0 wrong password, unknown user', follows, 'a wrong password and a missing right are said at the start'],
  ['B1.0 no right', appends, 'refused for lack of rights, which can be mended'],
  ['B1.0 TLS mismatch, unknown CA', tls, 'an unknown authority'],
  ['B1.0 SIGKILL of a server that is followed', follows, 'kills and restarts of the server in the midst of writing'],
  ['B1.0 SIGTERM of one: RST_STREAM with code 0', follows, 'is reset without a status'],
  ['B1.0 SIGSTOP of one', follows, 'a server that stands still is noticed, and read on from when it moves again'],
  ['B1.0 slow consumer', follows, 'is dropped because its reader was too slow'],
  ['B1.0 a position that is no record boundary', fake, 'one between two records is an error'],
  ['B1.0 a position beyond the end', follows, 'a server that was restored from an older backup is refused'],
  ['B1.0 tombstoned stream', appends, 'a stream that was deleted for good is rejected with its name'],
  ['B1.0 scavenge', follows, 'whatever stands between and whatever a scavenge took away'],
  ['B1.0 ids in lower case', refusing, 'an id that a store would give back in another spelling'],
  ['B1.0 races', 'test/contract/eventLog/appending.ts', 'of many appends that race for one revision exactly one wins'],
  ['B1.0 secrets', tls, 'nothing is printed of the password'],
  ['B1.2 not the leader', appends, 'a node that does not lead has written nothing'],
  ['B1.5 silence', follows, 'a subscription on which nothing comes although there is something'],
  ['C.3 1 append never answered', appends, 'never answered, but written'],
  ['C.3 1 call ended with OK', appends, 'ended with OK before the answer'],
  ['C.3 2 killed with appends queued', appends, 'a server that is killed with 400 appends queued'],
  ['C.3 3 subscription ended with OK', follows, 'ends with OK, which the client does not tell'],
  ['C.3 3 subscription cancelled', follows, 'is cancelled by a node that shuts down'],
  ['C.3 3 subscription unavailable', follows, 'is lost with its server'],
  ['C.3 4 crash between document and checkpoint', 'src/readModels/mongo/crashes.system.test.ts', 'changes nothing'],
  ['C.3 5 two owners', 'src/readModels/mongo/crashes.system.test.ts', 'an owner that was replaced while it paused'],
  ['C.3 6 leaving a loop', follows, 'a node that stops leaves no call open at the server'],
  ['C.3 7 cluster down at start', follows, 'a start waits for %s with a line for each attempt'],
  ['C.3 8 BigInt in data', refusing, 'a BigInt'],
  [
    'C.3 9 disk full',
    'src/eventLog/sqlite/durability.system.test.ts',
    'an append that does not fit on the disk is rejected',
  ],
  [
    'C.3 10 killed under load',
    'src/eventLog/outbox/outbox.int.test.ts',
    'after kill -9 at any instant every event that was durable',
  ],
  [
    'C.3 10 files copied under load',
    'test/durability/copiedFolder.system.test.ts',
    'a copy of the data folder at any instant',
  ],
  [
    'design 3 a copied folder',
    'test/nodes/copiedNode.system.test.ts',
    'a copied folder that runs beside its original forks no',
  ],
  ['B1.1 user certificates', tls, 'certificate and key of a user pass through'],
];

test.each(rows)('%s has a test', (_, file, title) => {
  expect(readFileSync(root + file, 'utf8')).toContain(title);
});
