import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { aFolder } from '../../test/histories/forged/honestLog.ts';
import {
  type BundleContents,
  makeBundleOf,
  readBundle,
  signedFolder,
  writeForgedBundle,
} from '../../test/support/evidence/bundles.ts';
import { aKey, vkeyOf } from '../../test/support/evidence/signedFolder.ts';
import { createRandom } from '../../test/support/random.ts';
import { thoroughness } from '../../test/support/runs.ts';
import { openCheckpoint, signCheckpoint } from '../integrity/notes/checkpoint.ts';
import { parseVkey } from '../integrity/notes/noteKeys.ts';
import { openFileSource } from './files/fileSource.ts';
import { verifyBundleFile } from './files/verifyBundleFile.ts';
import { openBundle } from './format/bundleFile.ts';
import type { Manifest } from './format/manifest.ts';
import { localHeader } from './format/zipFormat.ts';

// Processes, browsers and threads wait for each other on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const EVENTS = 'events/000001.jsonl';
const PROOFS = 'proofs/000001.jsonl';
const trusted = parseVkey(vkeyOf(aKey(1)));

/** The bytes of one bundle, made by the first test that needs it. */
let made: Promise<Buffer> | undefined;
const honestBytes = () => {
  made ??= makeHonest();
  return made;
};

async function makeHonest(): Promise<Buffer> {
  const folder = await signedFolder({ keys: [aKey(1), aKey(2)] });
  const { path } = await makeBundleOf(folder, { types: ['ApiKeyRenamed', 'RequestCompleted'] });
  return readFileSync(path);
}

async function honestBundle() {
  const path = join(await aFolder(), 'honest.zip');
  const bytes = await honestBytes();
  writeFileSync(path, bytes);
  return { path, bytes, contents: await readBundle(path) };
}

const verifyBytes = async (changed: Uint8Array) => {
  const file = join(await aFolder(), 'changed.zip');
  writeFileSync(file, changed);
  return verifyBundleFile(file, { threads: 1 });
};

/** The offsets at which something else begins: each header, each content, the directory, its end, the comment. */
async function regions(path: string): Promise<number[]> {
  const source = await openFileSource(path);
  try {
    const { entries } = await openBundle(source);
    const starts = entries.flatMap((entry) => [entry.offset, entry.offset + localHeader(entry).length]);
    const last = entries.at(-1);
    const directory = (last?.offset ?? 0) + (last ? localHeader(last).length + last.compressedSize : 0);
    return [...starts, directory, source.size - 106, source.size - 84, source.size - 64, source.size];
  } finally {
    await source.close();
  }
}

const SEEDS = Array.from({ length: Math.ceil(4 * thoroughness) }, (_, index) => index + 1);

test('is intact before anything is changed', async () => {
  const { path } = await honestBundle();
  expect(await verifyBundleFile(path, { trusted })).toMatchObject({ ok: true, findings: [], notes: [] });
});

test.each(SEEDS)('finds a flipped bit in every region of the file (seed %i)', { timeout: 120_000 }, async (seed) => {
  const random = createRandom(seed);
  const { path, bytes } = await honestBundle();
  const starts = await regions(path);
  for (const [index, start] of starts.slice(0, -1).entries()) {
    const at = random.between(start, (starts[index + 1] as number) - 1);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << random.below(8));
    expect((await verifyBytes(changed)).ok, `byte ${at}`).toBe(false);
  }
});

test.each(SEEDS)('finds bytes that were cut off, added or exchanged (seed %i)', async (seed) => {
  const random = createRandom(seed);
  const { bytes } = await honestBundle();
  const at = random.below(bytes.length);
  const changed = [
    bytes.subarray(0, at),
    bytes.subarray(0, -1),
    bytes.subarray(1),
    Buffer.concat([bytes, Buffer.of(0)]),
    Buffer.concat([bytes, bytes]),
    Buffer.concat([Buffer.from('#!'), bytes]),
    Buffer.concat([bytes.subarray(0, at), Buffer.of(7), bytes.subarray(at)]),
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    Buffer.alloc(0),
  ];
  for (const [index, file] of changed.entries()) expect((await verifyBytes(file)).ok, `change ${index}`).toBe(false);
});

type Forge = (copy: BundleContents) => ((manifest: Manifest) => Manifest) | undefined;

const edit =
  (name: string, change: (text: string) => string): Forge =>
  (copy) => {
    const changed = change(copy.get(name) as string);
    expect(changed).not.toBe(copy.get(name));
    copy.set(name, changed);
    return undefined;
  };
const lines = (change: (lines: string[]) => string[]) => (text: string) =>
  change(text.split('\n').slice(0, -1))
    .map((line) => `${line}\n`)
    .join('');
const recount =
  (events: number): ((manifest: Manifest) => Manifest) =>
  (manifest) => ({
    ...manifest,
    events: { ...manifest.events, count: manifest.events.count + events },
    parts: manifest.parts.map((part) => ({ ...part, count: part.count + events })),
  });

/** A change of the events of a bundle, and of their number in the manifest. */
const both =
  (forge: Forge, events: number): Forge =>
  (copy) => {
    forge(copy);
    return recount(events);
  };

const quietly =
  (change: (copy: BundleContents) => unknown): Forge =>
  (copy) => {
    change(copy);
    return undefined;
  };

/** Puts a checkpoint in the place of the last one that a foreign key has signed for the same tree. */
const signAgain = (copy: BundleContents) => {
  const name = [...copy.keys()].findLast((key) => key.endsWith('.checkpoint')) as string;
  const { note: _, signatures: __, ...checkpoint } = openCheckpoint(copy.get(name) as string, KEYS);
  copy.set(name, signCheckpoint(checkpoint, [aKey(9)]));
};
const KEYS = [aKey(1), aKey(2)].map(vkeyOf).map(parseVkey);

const forgeries: [name: string, forge: Forge][] = [
  ['changes a payload', edit(EVENTS, (text) => text.replace('"to":"key ', '"to":"kex '))],
  ['changes an actor', edit(EVENTS, (text) => text.replace('\\"keyId\\":\\"', '\\"keyId\\":\\"0'))],
  ['changes a time', edit(EVENTS, (text) => text.replace(/"time":"2026-01-01T00:00:0/, '"time":"2026-01-01T00:00:1'))],
  ['changes a type', edit(EVENTS, (text) => text.replace('"type":"ApiKeyRenamed"', '"type":"ApiKeyDeleted"'))],
  ['changes a digest', edit(EVENTS, (text) => text.replace(/"datasha256":"./, '"datasha256":"_'))],
  [
    'changes the order of keys',
    edit(EVENTS, (text) => text.replace(/"dataorder":"0,1,2"|"dataorder":"1,0/, '"dataorder":"2,0')),
  ],
  [
    'takes an event out',
    both(
      edit(
        EVENTS,
        lines((all) => all.toSpliced(3, 1)),
      ),
      -1,
    ),
  ],
  [
    'repeats an event',
    both(
      edit(
        EVENTS,
        lines((all) => all.toSpliced(3, 0, all[3] as string)),
      ),
      1,
    ),
  ],
  [
    'swaps two events',
    edit(
      EVENTS,
      lines(([a, b, ...rest]) => [b as string, a as string, ...rest]),
    ),
  ],
  ['spells an event in another way', edit(EVENTS, (text) => text.replace('{"', '{ "'))],
  ['adds an attribute', edit(EVENTS, (text) => text.replace('{"', '{"aaa":"1","'))],
  [
    'adds a line that is no event',
    both(
      edit(EVENTS, (text) => `${text}[]\n`),
      1,
    ),
  ],
  [
    'takes a hash out',
    edit(
      PROOFS,
      lines((all) => all.slice(1)),
    ),
  ],
  [
    'repeats a hash',
    edit(
      PROOFS,
      lines((all) => [all[0] as string, ...all]),
    ),
  ],
  [
    'swaps two hashes',
    edit(
      PROOFS,
      lines(([a, b, ...rest]) => [b as string, a as string, ...rest]),
    ),
  ],
  ['adds a line that is no hash', edit(PROOFS, (text) => `${text}{}\n`)],
  ['takes a checkpoint out', quietly((copy) => copy.delete('checkpoints/0000000000000010.checkpoint'))],
  ['puts a foreign checkpoint in', quietly(signAgain)],
  ['takes the change of keys out', quietly((copy) => copy.delete('keys/0001.keychange'))],
  ['takes the proof of consistency out', quietly((copy) => copy.set('consistency.jsonl', ''))],
  ['adds a proof of consistency', edit('consistency.jsonl', (text) => text + text)],
  ['adds an entry', quietly((copy) => copy.set('more.txt', 'hello'))],
  ['takes an entry out', quietly((copy) => copy.delete(PROOFS))],
  ['says another root', () => (manifest) => ({ ...manifest, root: '0'.repeat(64) })],
  ['says another size', () => (manifest) => ({ ...manifest, treeSize: manifest.treeSize - 1 })],
  ['says another origin', () => (manifest) => ({ ...manifest, origin: 'svc/ffffffffffffffff' })],
  ['says another key', () => (manifest) => ({ ...manifest, key: vkeyOf(aKey(9)) })],
  ['says another count', () => (manifest) => ({ ...manifest, events: { ...manifest.events, count: 1 } })],
  ['says another page', () => (manifest) => ({ ...manifest, verifier: '0'.repeat(64) })],
  [
    'ends a part early',
    () => (manifest) => ({ ...manifest, parts: manifest.parts.map((part) => ({ ...part, to: part.to - 1 })) }),
  ],
  [
    'begins a part late',
    () => (manifest) => ({ ...manifest, parts: manifest.parts.map((part) => ({ ...part, from: 1 })) }),
  ],
  ['names no part', () => (manifest) => ({ ...manifest, parts: [] })],
  ['has a manifest of another kind', () => () => ({ format: 'svc-evidence', version: 1 }) as Manifest],
];

test.each(forgeries)('finds a forger who %s and computes all digests again', async (_, forge) => {
  const { contents: copy } = await honestBundle();
  const file = join(await aFolder(), 'forged.zip');
  await writeForgedBundle(file, copy, forge(copy));
  const { ok, findings } = await verifyBundleFile(file, { trusted });
  expect(ok).toBe(false);
  expect(findings[0]?.expected).toEqual(expect.any(String));
});

test('writes the same file again from the same contents', async () => {
  const file = join(await aFolder(), 'same.zip');
  const { bytes, contents } = await honestBundle();
  await writeForgedBundle(file, contents);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('says when the page or the text for people are not those of this svc', async () => {
  const file = join(await aFolder(), 'pages.zip');
  const { contents } = await honestBundle();
  const copy = contents.set('README.txt', 'Trust me.').set('verify.html', '<p>All is well.</p>');
  await writeForgedBundle(file, copy, (manifest) => ({
    ...manifest,
    verifier: '8bdcb8d8ab0ce2a7de8a3b6c2a1d3c6e2c1ef4d4cf7b6b3c9b2ad7f9a0f8f0c1',
  }));
  const { notes, ok } = await verifyBundleFile(file, { trusted });
  expect(ok).toBe(false);
  expect(notes).toHaveLength(2);
});

test('never counts a payload as proved that a forger has declared not to be', async () => {
  const file = join(await aFolder(), 'declared.zip');
  const { contents: copy } = await honestBundle();
  edit(EVENTS, (text) =>
    text
      .replace(/"dataorder":"[\d,;]*","dataproof":"recomputable"/, '"dataproof":"digest"')
      .replace('"to":"key ', '"to":"kex '),
  )(copy);
  await writeForgedBundle(file, copy, (manifest) => ({
    ...manifest,
    events: { ...manifest.events, recomputable: manifest.events.recomputable - 1 },
  }));
  const before = await verifyBundleFile((await honestBundle()).path, { trusted });
  expect(await verifyBundleFile(file, { trusted })).toMatchObject({ ok: true, recomputed: before.recomputed - 1 });
});

test('survives JSON that is nested deeper than the stack', async () => {
  const file = join(await aFolder(), 'deep.zip');
  const { contents: copy } = await honestBundle();
  edit(EVENTS, (text) => `${'['.repeat(200_000)}${']'.repeat(200_000)}\n${text}`)(copy);
  await writeForgedBundle(file, copy);
  expect(await verifyBundleFile(file, { trusted })).toMatchObject({ ok: false });
  appendFileSync(file, 'x');
  expect(await verifyBundleFile(file, { trusted })).toMatchObject({ ok: false });
});
