import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The failures of docs/stores.md#failures-by-name in the same order, each with the test that covers it.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const appends = 'src/eventLog/eventstore/appendFailures.int.test.ts';
const follows = 'src/eventLog/eventstore/followFailures.system.test.ts';
const foreign = 'src/eventLog/eventstore/foreignStore.system.test.ts';
const tls = 'src/eventLog/eventstore/client/tls.int.test.ts';
const appending = 'test/contract/eventLog/appending.ts';
const refusing = 'test/contract/eventLog/refusing.ts';
const repeating = 'test/contract/eventLog/repeating.ts';
const fake = 'test/support/eventstore/fakeEventStore.int.test.ts';
const refused = 'src/eventLog/eventstore/drain/refusedEvents.system.test.ts';
const outbox = 'src/eventLog/outbox/killedOutbox.system.test.ts';
const durability = 'src/eventLog/sqlite/durability.system.test.ts';
const disk = 'test/durability/brokenDisk.system.test.ts';
const mongo = 'src/readModels/mongo/crashes.system.test.ts';

const failures: readonly [name: string, file: string, title: string][] = [
  ['append repeated later', repeating, 'returns the original outcome after the stream has grown'],
  ['part of an append repeated', repeating, 'accepts a repeat of only its first or last events'],
  ['repeat mixed with new events', repeating, 'reports a conflict when mixed with new events or reordered'],
  ['known ids at another revision', appends, 'rejects an id that is used elsewhere in the log'],
  ['append without events', refusing, 'rejects an append without events'],
  ['revision "any"', refusing, '"any" as expected revision'],
  [
    'server killed with appends queued',
    appends,
    'writes each of 400 queued appends once although the server is killed',
  ],
  ['append while the server is down', appends, 'reports an append as unknown at once while the server is down'],
  ['append while the server starts', appends, 'sent to a server that is starting'],
  ['server older than 24.2', follows, 'refuses EventStoreDB %s as too old'],
  ['server shut down in order', appends, 'time out while the server shuts down in order'],
  ['server frozen during an append', appends, 'unknown at its deadline while the server is frozen'],
  ['event id that is no UUID', refusing, 'an id that is not a UUID'],
  ['unknown event type written', refusing, 'an unknown type'],
  ['BigInt in event data', refusing, 'a BigInt'],
  ['connection of another node cut', appends, 'the appends of one node while the connection of another is cut'],
  ['more than 1 MiB of data', appends, 'rejects only the append with too much data'],
  ['message of 20 MB', appends, 'rejects an append of 20 MB'],
  ['wrong password or user', follows, 'reports a wrong password at the start'],
  ['missing right', appends, 'refused because the user lacks a right'],
  ['unknown certificate authority', tls, 'an unknown authority'],
  ['server killed while followed', follows, 'loses and repeats nothing while the server is killed and restarted'],
  ['subscription reset without a status', follows, 'is reset without a status'],
  ['server frozen while followed', follows, 'notices a frozen server and resumes when it responds again'],
  ['subscription dropped as too slow', follows, 'is dropped because its consumer is too slow'],
  ['position between two records', fake, 'refuses one between records'],
  ['position beyond the end', follows, 'refuses to start on a server that was restored from an older backup'],
  ['tombstoned stream', appends, 'rejects an append to a tombstoned stream'],
  ['tombstoned stream of a node', refused, 'parks what waits in a tombstoned stream'],
  ['repeat of truncated events', refused, 'counts a repeat as written whose stream was %s meanwhile'],
  [
    'stream that loses events',
    'src/eventLog/eventstore/mirror/streamRules.int.test.ts',
    'names streams that were deleted or that lose events',
  ],
  ['event that is refused for good', refused, 'parks an event of one byte too much'],
  ['scavenged events', follows, 'despite other events and scavenged ones'],
  ['event id in upper case', refusing, 'an id in upper case'],
  ['appends racing for a revision', appending, 'commits exactly one of many appends that race for one revision'],
  ['password in an error message', tls, 'prints nothing of the password'],
  ['node that does not lead', appends, 'at the leader when another node refuses it'],
  ['data of the server replaced while a node runs', foreign, 'appends nothing to the store of another installation'],
  ['client frozen for 20 s', follows, 'is reset with its connection after a freeze'],
  ['disk of the server full', appends, 'writes an append once after the disk of the server was full'],
  ['silent subscription', follows, 'replaces a silent subscription'],
  ['append never answered', appends, 'never answered, but written'],
  ['append call ended with OK', appends, 'ended with OK before the response'],
  ['subscription ended with OK', follows, 'ends with OK, without an error from the client'],
  ['subscription cancelled', follows, 'is cancelled by a node that is shutting down'],
  ['subscription lost with its server', follows, 'is lost with its server'],
  ['crash between document and checkpoint', mongo, 'projecting the same events again changes nothing'],
  ['two owners of a projection', mongo, 'a paused projector that was replaced completes no batch'],
  ['subscription left open at the server', follows, 'leaves no call open at the server after close'],
  ['server down at start', follows, 'waits at the start for %s, with a line for each attempt'],
  ['disk full', durability, 'rejects an append that does not fit on the disk'],
  ['sync that fails', disk, 'while syncs %s, names it and refuses requests before they reach the provider'],
  ['sync that never ends', disk, 'while syncs %s, names it and refuses requests before they reach the provider'],
  ['power cut after a failed sync', disk, 'through failed syncs, kill -9 and a power cut'],
  ['process killed under load', outbox, 'after kill -9 at any instant'],
  [
    'data folder copied under load',
    'test/durability/copiedFolder.system.test.ts',
    'a copy of the data folder taken under load',
  ],
  [
    'copied folder running beside its original',
    'test/nodes/copiedNode.system.test.ts',
    'beside its original without forking a stream',
  ],
  ['user certificates', tls, 'connects with a user certificate'],
];

test.each(failures)('covers: %s', (_, file, title) => {
  expect(readFileSync(root + file, 'utf8')).toContain(title);
});

test('lists the failures of docs/stores.md', () => {
  const [, section = ''] = readFileSync(`${root}docs/stores.md`, 'utf8').split('\n## Failures by name\n');
  const rows = [...section.matchAll(/^\| (?!Name \|)([^|]+?)(?: \(\*fake\*\))? \|/gm)].map(([, name]) => name);
  expect(failures.map(([name]) => name)).toEqual(rows);
});
