import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keyOf, startCheckpoints } from '../../../test/support/integrity/checkpointsUnderTest.ts';
import { openMemoryTree } from '../../../test/support/integrity/memoryTree.ts';
import { startWitness, WITNESS_VKEY, type WitnessOptions } from '../../../test/support/integrity/witness.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { openCheckpoint } from '../notes/checkpoint.ts';
import { parseVkey, verifierKey } from '../notes/noteKeys.ts';
import { checkPublished } from '../published/checkPublished.ts';
import { logOrigin } from '../published/logOrigin.ts';
import { readPublished } from '../published/readPublished.ts';

const soon = { timeout: 10_000, interval: 5 };
const { origin, folder: part } = logOrigin(Buffer.from('entry 0'));
/** Of the first origin of every log in these tests. */
const LOG_VKEY = verifierKey(origin, keyOf(1).publicKey).vkey;

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort();
}
const sizesIn = (folder: string): number[] => readPublished(folder).checkpoints.map(({ size }) => size);

/** An endpoint that keeps what is posted. */
async function anEndpoint(
  respond: (response: ServerResponse, request: IncomingMessage) => void = (response) => response.end(),
) {
  const posted: string[] = [];
  const handler = { respond };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push(body);
    handler.respond(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/checkpoints`, posted, handler };
}

async function aWitness(options: WitnessOptions = { trusted: [LOG_VKEY] }) {
  const witness = await startWitness(options);
  onTestFinished(() => witness[Symbol.asyncDispose]());
  return { witness, place: { url: witness.url, key: parseVkey(witness.vkey) } };
}

test('publishes to a folder that others can read, one file for each checkpoint and none under a draft name', async () => {
  const published = temporaryFolder();
  const { tree, checkpoints, folder } = startCheckpoints({ places: { folder: published } });
  for (let round = 0; round < 3; round += 1) {
    tree.grow(5);
    await vi.waitFor(() => expect(checkpoints.latest()?.size).toBe(tree.size), soon);
  }
  await vi.waitFor(() => expect(checkpoints.targets[0]?.size).toBe(15), soon);
  expect(sizesIn(published)).toEqual([5, 10, 15]);
  const day = new Date().toISOString().slice(0, 7);
  for (const file of filesIn(published)) {
    expect(file).toMatch(new RegExp(`^${published}/${part}/${day}-\\d\\d/0{14}\\d\\d\\.checkpoint$`));
    expect(statSync(file).mode & 0o777).toBe(0o644);
  }
  expect(statSync(join(published, part)).mode & 0o777).toBe(0o755);
  const vkey = parseVkey(readFileSync(join(folder, 'checkpoint.pub'), 'utf8').trim());
  expect(checkPublished(readPublished(published), [vkey])).toMatchObject({ problems: [], origins: [{ origin }] });
  expect(checkpoints.targets).toMatchObject([{ kind: 'folder', target: published, size: 15, failure: null }]);
});

test.each([
  ['is missing', (path: string) => rmSync(path), (path: string) => mkdirSync(path), 'is missing'],
  [
    'is a file',
    (path: string) => {
      writeFileSync(`${path}.file`, '');
      renameSync(`${path}.file`, path);
    },
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
    'is not a folder',
  ],
])('a folder that %s is one fault, and gets everything when it is back', async (_what, harm, mend, said) => {
  // A link, which a file takes the place of at once: what publishes meanwhile must not find it missing.
  const published = join(temporaryFolder(), 'published');
  symlinkSync(temporaryFolder(), published);
  const first = startCheckpoints({ places: { folder: published } });
  first.tree.grow(3);
  await vi.waitFor(() => expect(first.checkpoints.targets[0]?.size).toBe(3), soon);
  harm(published);
  first.tree.grow(1);
  await vi.waitFor(() => expect(first.codes()).toEqual(['checkpoint_not_published']), soon);
  await vi.waitFor(() => expect(first.checkpoints.latest()?.size).toBe(4), soon);
  first.tree.grow(1);
  await vi.waitFor(() => expect(first.checkpoints.latest()?.size).toBe(5), soon);
  expect(first.lines).toHaveLength(1);
  expect(first.lines[0]).toContain(said);
  mend(published);
  await first.stop();
  // The new folder lacks what the old one had.
  expect(sizesIn(published)).toEqual([3, 4, 5]);
  expect(first.codes()).toEqual([]);
});

test('keeps the order and misses nothing while an endpoint fails, also over a restart', async () => {
  const endpoint = await anEndpoint();
  const { url, posted, handler } = endpoint;
  const places = { url: `${url}?token=secret` };
  const first = startCheckpoints({ places });
  first.tree.grow(1);
  await vi.waitFor(() => expect(posted).toHaveLength(1), soon);
  handler.respond = (response) => void response.writeHead(503).end();
  for (let round = 0; round < 3; round += 1) {
    first.tree.grow(1);
    await vi.waitFor(() => expect(first.checkpoints.latest()?.size).toBe(first.tree.size), soon);
  }
  await vi.waitFor(() => expect(first.codes()).toEqual(['checkpoint_not_published']), soon);
  expect(first.lines).toEqual([expect.stringMatching(/responded with status 503.*What was missed is published/s)]);
  expect(first.lines.join() + JSON.stringify(first.checkpoints.targets)).not.toContain('secret');
  await first.stop();
  handler.respond = (response) => void response.end();
  const before = posted.length;
  const second = startCheckpoints({ folder: first.folder, tree: first.tree, places });
  await vi.waitFor(() => expect(second.checkpoints.targets[0]?.size).toBe(4), soon);
  const sizes = posted.slice(before).map((note) => Number(note.split('\n')[1]));
  expect(sizes).toEqual([2, 3, 4]);
});

test.each([
  [
    'redirects',
    (response: ServerResponse) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    'status 307',
  ],
  [
    'responds without end',
    (response: ServerResponse) => void response.writeHead(200).write(Buffer.alloc(1_000_000)),
    'more than',
  ],
  ['closes the connection', (response: ServerResponse) => void response.destroy(), 'cannot be reached'],
])('does not take it for published when the endpoint %s', async (_what, respond, said) => {
  const { url, posted } = await anEndpoint(respond);
  const { tree, lines, codes, checkpoints } = startCheckpoints({ places: { url } });
  tree.grow(1);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
  expect(lines[0]).toContain(said);
  expect(checkpoints.targets[0]).toMatchObject({ size: 0, publishedAt: null });
  expect(posted.every((note) => note.startsWith(origin))).toBe(true);
});

test('keeps and publishes the cosignature of a witness', async () => {
  const { witness, place } = await aWitness();
  const published = temporaryFolder();
  const { tree, checkpoints, codes } = startCheckpoints({ places: { witness: place, folder: published } });
  for (let round = 0; round < 4; round += 1) {
    tree.grow(100 * round + 1);
    await vi.waitFor(() => expect(sizesIn(published).at(-1)).toBe(tree.size), soon);
  }
  expect(witness.logs[origin]?.size).toBe(tree.size);
  expect(witness.statuses).not.toContain(422);
  const keys = [parseVkey(checkpoints.vkey ?? ''), parseVkey(witness.vkey)];
  const notes = [checkpoints.latest()?.note ?? '', ...readPublished(published).checkpoints.map(({ note }) => note)];
  for (const note of notes)
    expect(openCheckpoint(note, keys).signatures.map(({ key }) => key.name)).toEqual([origin, 'witness.example/w1']);
  expect(codes()).toEqual([]);
});

test('goes on with a witness that knows an older or a newer checkpoint of the log', async () => {
  const { witness, place } = await aWitness();
  const { tree, folder, stop } = startCheckpoints({ places: { witness: place } });
  tree.grow(5);
  await vi.waitFor(() => expect(witness.logs[origin]?.size).toBe(5), soon);
  await stop();
  // It missed a checkpoint, and a note is submitted again after a kill.
  const without = startCheckpoints({ folder, tree });
  tree.grow(5);
  await without.checkpoints.covering(10);
  await without.stop();
  const again = startCheckpoints({ folder, tree, places: { witness: place } });
  tree.grow(5);
  await vi.waitFor(() => expect(witness.logs[origin]?.size).toBe(15), soon);
  expect(again.codes()).toEqual([]);
});

test.each([
  ['does not know the log', { trusted: [] }, /does not know the log .* \(404\).*checkpoint\.pub/],
  [
    'has another key of the log',
    { trusted: [verifierKey(origin, keyOf(9).publicKey).vkey] },
    /\(403\).*checkpoint\.pub/,
  ],
  [
    'signs with another key',
    { trusted: [LOG_VKEY], isImpostor: true },
    /did not cosign with .*SVC_CHECKPOINT_WITNESS_KEY/,
  ],
])('says when the witness %s, and signs on', async (_what, options, said) => {
  const { witness, place } = await aWitness(options);
  const { tree, codes, lines, checkpoints } = startCheckpoints({ places: { witness: place } });
  tree.grow(3);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
  expect(lines[0]).toMatch(said);
  expect(checkpoints.latest()?.size).toBe(3);
  expect(checkpoints.latest()?.note).not.toContain('witness.example');
  witness.trusted.push(LOG_VKEY);
});

test.each([
  ['is beyond every number that svc counts to', '9007199254740993', /responded with status 409/],
  ['is no number', 'many', /responded with status 409/],
])('signs on when the size that a witness says it has %s', async (_what, size, said) => {
  const { url } = await anEndpoint((response) => {
    response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${size}\n`);
  });
  const witness = { url, key: parseVkey(WITNESS_VKEY) };
  const { tree, codes, lines, folder, stop } = startCheckpoints({ places: { witness } });
  tree.grow(3);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
  expect(lines[0]).toMatch(said);
  await stop();
  const next = startCheckpoints({ folder, tree, places: { witness } });
  tree.grow(2);
  expect(await next.checkpoints.covering(5)).toMatchObject({ size: 5 });
});

test.each([
  ['names an old size whatever it is sent', { 'content-type': 'text/x.tlog.size' }, '1\n'],
  ['names no size', {}, ''],
])('signs on when a witness answers 409 and %s', async (_what, headers, body) => {
  const { url, posted } = await anEndpoint((response) => {
    const isFirst = posted.at(-1)?.startsWith('old 0\n');
    response.writeHead(409, isFirst ? { 'content-type': 'text/x.tlog.size' } : headers).end(isFirst ? '1\n' : body);
  });
  const witness = { url, key: parseVkey(WITNESS_VKEY) };
  const { tree, codes, lines, checkpoints } = startCheckpoints({ places: { witness } });
  tree.grow(3);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
  expect(posted.some((note) => note.startsWith('old 1\n'))).toBe(true);
  expect(lines[0]).toMatch(/responded with status 409/);
  tree.grow(2);
  expect(await checkpoints.covering(5)).toMatchObject({ size: 5 });
});

test('says that a witness has not signed at all', async () => {
  const { url } = await anEndpoint();
  const { tree, lines } = startCheckpoints({ places: { witness: { url, key: parseVkey(WITNESS_VKEY) } } });
  tree.grow(3);
  await vi.waitFor(() => expect(lines[0]).toContain('it has no signature'), soon);
});

test('a copy of the log that a witness knows more of signs nothing, and says so', async () => {
  const { witness, place } = await aWitness();
  const original = startCheckpoints({ places: { witness: place } });
  original.tree.grow(5);
  await vi.waitFor(() => expect(witness.logs[origin]?.size).toBe(5), soon);
  const copy = temporaryFolder();
  await original.stop();
  cpSync(join(original.folder, 'checkpoints.sqlite'), join(copy, 'checkpoints.sqlite'));
  const next = startCheckpoints({ folder: original.folder, tree: original.tree, places: { witness: place } });
  next.tree.grow(4);
  await vi.waitFor(() => expect(witness.logs[origin]?.size).toBe(9), soon);
  const twinTree = openMemoryTree(copy);
  twinTree.grow(5);
  twinTree.grow(7, 'other ');
  const twin = startCheckpoints({ folder: copy, tree: twinTree, places: { witness: place } });
  await vi.waitFor(() => expect(twin.codes()).toContain('checkpoint_fork'), soon);
  expect(twin.lines[0]).toMatch(/has one of size 9.*this log has 12 events/);
  await expect(twin.checkpoints.covering(12)).rejects.toThrow('Another copy of this log');
  expect(twin.checkpoints.latest()?.size).toBe(5);
  expect(next.codes()).toEqual([]);
});

test('of two copies that publish to one folder, one signs and the other says why it does not', async () => {
  const published = temporaryFolder();
  const places = { folder: published };
  const original = startCheckpoints({ places });
  original.tree.grow(5);
  await vi.waitFor(() => expect(sizesIn(published)).toEqual([5]), soon);
  await original.stop();
  const copy = temporaryFolder();
  cpSync(join(original.folder, 'checkpoints.sqlite'), join(copy, 'checkpoints.sqlite'));
  const twinTree = openMemoryTree(copy);
  twinTree.grow(5);
  twinTree.grow(4, 'other ');
  const twin = startCheckpoints({ folder: copy, tree: twinTree, places });
  await vi.waitFor(() => expect(sizesIn(published)).toEqual([5, 9]), soon);
  original.tree.grow(2);
  const again = startCheckpoints({ folder: original.folder, tree: original.tree, places });
  await vi.waitFor(() => expect(again.codes()).toEqual(['checkpoint_fork']), soon);
  expect(again.lines[0]).toMatch(/0{15}9\.checkpoint has one of size 9, but here the log ends at position 7/);
  original.tree.grow(20);
  await expect(again.checkpoints.covering(27)).rejects.toThrow('the events up to there are other ones');
  expect(twin.codes()).toEqual([]);
  // Over by itself once the other copy is gone with what it published.
  await twin.stop();
  for (const file of filesIn(published)) if (!file.endsWith('5.checkpoint')) rmSync(file);
  await vi.waitFor(() => expect(again.codes()).toEqual([]), soon);
  expect((await again.checkpoints.covering(27)).size).toBe(27);
});

test.each([
  ['as many', 4],
  ['fewer', 3],
])('of two copies that sign at the same moment, the one with %s events signs nothing more', async (_what, more) => {
  const original = startCheckpoints();
  original.tree.grow(5);
  await vi.waitFor(() => expect(original.checkpoints.latest()?.size).toBe(5), soon);
  await original.stop();
  const published = temporaryFolder();
  // Neither sees what the other one signs: the folder of one is missing until both have signed.
  const late = join(temporaryFolder(), 'published');
  original.tree.grow(4);
  const first = startCheckpoints({ folder: original.folder, tree: original.tree, places: { folder: published } });
  const copy = temporaryFolder();
  const twinTree = openMemoryTree(copy);
  twinTree.grow(5);
  twinTree.grow(more, 'other ');
  const twin = startCheckpoints({ folder: copy, tree: twinTree, places: { folder: late } });
  await vi.waitFor(() => expect(sizesIn(published)).toContain(9), soon);
  await vi.waitFor(() => expect(twin.checkpoints.latest()?.size).toBe(5 + more), soon);
  symlinkSync(published, late);
  twinTree.grow(1, 'other ');
  await vi.waitFor(() => expect(twin.codes()).toContain('checkpoint_fork'), soon);
  expect(twin.lines.join('\n')).toMatch(/0{15}9\.checkpoint has one of size 9, but here/);
  await expect(twin.checkpoints.covering(twinTree.size)).rejects.toThrow('Another copy of this log');
  // What it has signed is published, because it is signed, but not in the place of the other one.
  if (more === 4)
    await vi.waitFor(() => expect(twin.checkpoints.targets[0]?.failure).toMatch(/exists with other content/), soon);
  else await vi.waitFor(() => expect(sizesIn(published).toSorted()).toEqual([5, 8, 9]), soon);
  expect(first.codes()).toEqual([]);
});

test('a copy of before two changes of the key finds what the later keys have published, and signs nothing', async () => {
  const published = temporaryFolder();
  const places = { folder: published };
  const original = startCheckpoints({ places });
  original.tree.grow(5);
  await vi.waitFor(() => expect(sizesIn(published)).toEqual([5]), soon);
  await original.stop();
  const copy = temporaryFolder();
  cpSync(join(original.folder, 'checkpoints.sqlite'), join(copy, 'checkpoints.sqlite'));
  const { folder, tree } = original;
  const next = startCheckpoints({ folder, tree, places, key: keyOf(2), earlierKeys: [keyOf(1)] });
  tree.grow(2);
  await vi.waitFor(() => expect(sizesIn(published).toSorted()).toEqual([5, 7]), soon);
  await next.stop();
  const last = startCheckpoints({ folder, tree, places, key: keyOf(3), earlierKeys: [keyOf(2)] });
  tree.grow(2);
  await vi.waitFor(() => expect(sizesIn(published).toSorted()).toEqual([5, 7, 9]), soon);
  const twinTree = openMemoryTree(copy);
  twinTree.grow(5);
  twinTree.grow(7, 'other ');
  const twin = startCheckpoints({ folder: copy, tree: twinTree, places });
  await vi.waitFor(() => expect(twin.codes()).toContain('checkpoint_fork'), soon);
  expect(twin.lines[0]).toMatch(/has one of size 9/);
  await expect(twin.checkpoints.covering(12)).rejects.toThrow('Another copy of this log');
  expect(twin.checkpoints.latest()?.size).toBe(5);
  expect(last.codes()).toEqual([]);
});

test('names the last published checkpoint of the old origin, also when the restored copy does not know it', async () => {
  const published = temporaryFolder();
  const places = { folder: published };
  const original = startCheckpoints({ places });
  original.tree.grow(5);
  await vi.waitFor(() => expect(sizesIn(published)).toEqual([5]), soon);
  const old = temporaryFolder();
  await original.stop();
  cpSync(join(original.folder, 'checkpoints.sqlite'), join(old, 'checkpoints.sqlite'));
  const next = startCheckpoints({ folder: original.folder, tree: original.tree, places });
  next.tree.grow(4);
  await vi.waitFor(() => expect(sizesIn(published)).toEqual([5, 9]), soon);
  await next.stop();
  const tree = openMemoryTree(old);
  tree.grow(5);
  tree.grow(1, 'loss ');
  const restored = startCheckpoints({ folder: old, tree, places, losses: () => [{ position: 6, isOfKey: false }] });
  await vi.waitFor(() => expect(sizesIn(published)).toHaveLength(3), soon);
  const { origins, problems } = checkPublished(readPublished(published), [parseVkey(LOG_VKEY)]);
  expect(problems).toEqual([]);
  expect(origins.map(({ continues }) => continues?.size)).toEqual([undefined, 9]);
  expect(restored.codes()).toEqual([]);
});

test('two logs share a folder, and what else is in it does not matter', async () => {
  const published = temporaryFolder();
  writeFileSync(join(published, 'README'), 'text');
  mkdirSync(join(published, part, '2026-01-01'), { recursive: true });
  writeFileSync(join(published, part, '2026-01-01', '9999999999999999.checkpoint'), 'not a note');
  const first = startCheckpoints({ places: { folder: published } });
  const other = openMemoryTree(temporaryFolder());
  const second = startCheckpoints({ tree: other, places: { folder: published }, key: keyOf(2) });
  first.tree.grow(3);
  other.grow(4, 'another log ');
  await vi.waitFor(() => expect(sizesIn(published).sort()).toEqual([3, 4]), soon);
  expect([...first.codes(), ...second.codes()]).toEqual([]);
});

test('a file of the same name with other content is kept, and said', async () => {
  const published = temporaryFolder();
  const { tree, codes, lines, checkpoints } = startCheckpoints({ places: { folder: published } });
  const day = join(published, part, new Date().toISOString().slice(0, 10));
  mkdirSync(day, { recursive: true });
  const file = join(day, '0000000000000003.checkpoint');
  writeFileSync(file, 'mine');
  tree.grow(3);
  await vi.waitFor(() => expect(codes()).toEqual(['checkpoint_not_published']), soon);
  expect(lines[0]).toContain(`${file} exists with other content`);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(checkpoints.latest()?.size).toBe(3);
  renameSync(file, join(published, 'away'));
});
