import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openNoteStore } from '../../src/integrity/checkpoints/noteStore.ts';
import { parseVkey, signingKeyOf, verifierKey } from '../../src/integrity/notes/noteKeys.ts';
import { checkPublished } from '../../src/integrity/published/checkPublished.ts';
import { logOrigin } from '../../src/integrity/published/logOrigin.ts';
import { collectNotes, readPublished } from '../../src/integrity/published/readPublished.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openMemoryTree } from '../support/integrity/memoryTree.ts';
import { startWitness, WITNESS_VKEY } from '../support/integrity/witness.ts';
import { runs } from '../support/runs.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Of the tree that the program grows. */
const { vkey } = verifierKey(logOrigin(Buffer.from('entry 0')).origin, signingKeyOf(Buffer.alloc(32, 1)).publicKey);
const KILLS = runs(12).numRuns ?? 12;
const program = fileURLToPath(new URL('../support/integrity/signForever.ts', import.meta.url));

test('kill -9 at any instant of signing and publishing forks nothing, loses nothing and keeps the order', async () => {
  await using root = await tempDir('killed-checkpoints');
  const [folder, published] = ['data', 'published'].map((name) => join(root.path, name)) as [string, string];
  for (const path of [folder, published]) mkdirSync(path);
  const posted: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push(body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await using witness = await startWitness({ trusted: [vkey] });
  const output: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, [program, folder, published, url, witness.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 700));
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  expect(output.join('')).not.toMatch(/No checkpoint/);

  const tree = openMemoryTree(folder);
  const store = openNoteStore(join(folder, 'checkpoints.sqlite'));
  const signed = store.after(0, 1_000_000);
  expect(signed.length).toBeGreaterThan(KILLS);
  for (const { size, root: hex } of signed) expect((await tree.root(size)).root.toString('hex')).toBe(hex);
  // Every file is complete, and each note up to the last one of the folder is there.
  const files = readPublished(published);
  expect(checkPublished(files, [parseVkey(vkey), parseVkey(WITNESS_VKEY)]).problems).toEqual([]);
  const inFolder = files.checkpoints.map(({ size }) => size).sort((left, right) => left - right);
  const sizes = signed.map(({ size }) => size);
  expect(inFolder).toEqual(sizes.slice(0, inFolder.length));
  // The endpoint got each at least once, in order: a repeat only right after a kill.
  const sent = posted.map((note) => Number(note.split('\n')[1]));
  expect([...new Set(sent)]).toEqual(sizes.slice(0, new Set(sent).size));
  expect(sent).toEqual(sent.toSorted((left, right) => left - right));
  expect(sent.length - new Set(sent).size).toBeLessThanOrEqual(KILLS);
  expect(
    checkPublished(collectNotes(posted.map((text) => ({ source: 'posted', text }))), [parseVkey(vkey)]).problems,
  ).toEqual([]);
  // Those that it cosigned were kept.
  expect(witness.statuses).not.toContain(422);
  expect(
    signed.map((record) => store.noteOf(record)).filter((note) => note.includes('witness.example')).length,
  ).toBeGreaterThan(0);
  store.close();
  await tree.close();
});
