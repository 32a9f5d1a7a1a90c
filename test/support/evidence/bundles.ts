import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { inflate, openFileSource } from '../../../src/evidence/files/fileSource.ts';
import { openBundle } from '../../../src/evidence/format/bundleFile.ts';
import { MANIFEST, type Manifest, writeManifest } from '../../../src/evidence/format/manifest.ts';
import { BundleWriter } from '../../../src/evidence/make/bundleWriter.ts';
import { makeEvidence } from '../../../src/evidence/make/makeEvidence.ts';
import type { EventSelection } from '../../../src/evidence/make/selection.ts';
import { aFolder, honestFolder } from '../../histories/forged/honestLog.ts';
import { type Signing, signFolder } from './signedFolder.ts';

/** A data folder with a tree and signed checkpoints. */
export async function signedFolder(signing?: Signing, seed = 1): Promise<string> {
  const folder = await honestFolder(seed);
  signFolder(folder, signing);
  return folder;
}

/** Makes a bundle of a folder's events, as `svc evidence` does. */
export async function makeBundleOf(folder: string, selection: EventSelection = {}) {
  const path = join(await aFolder(), 'evidence.zip');
  const made = await makeEvidence({
    folder,
    logName: 'log.sqlite',
    selection,
    path,
    madeBy: 'svc 0.0.0',
    madeAt: '2026-02-03T04:05:06.000Z',
  });
  return { ...made, path };
}

/** The contents of a bundle by their names, in order. */
export type BundleContents = Map<string, string>;

export async function readBundle(path: string): Promise<BundleContents> {
  const source = await openFileSource(path);
  try {
    const file = await openBundle(source);
    const contents: BundleContents = new Map();
    for (const entry of file.entries) {
      contents.set(entry.name, Buffer.from(await inflate(await file.readCompressed(entry), entry.size)).toString());
    }
    return contents;
  } finally {
    await source.close();
  }
}

/** Writes a bundle whose digests fit its contents, as a forger does who knows the format. */
export async function writeForgedBundle(
  path: string,
  contents: BundleContents,
  forgeManifest: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<void> {
  const file = await open(path, 'wx');
  try {
    const writer = new BundleWriter(file);
    for (const [name, content] of contents) if (name !== MANIFEST) await writer.add(name, content);
    const manifest = forgeManifest(JSON.parse(contents.get(MANIFEST) as string) as Manifest);
    await writer.add(MANIFEST, writeManifest({ ...manifest, files: writer.files }));
    await writer.finish();
  } finally {
    await file.close();
  }
}
