import type { VerifierKey } from '../../integrity/notes/noteKeys.ts';
import { decodeText, formatNote } from '../../integrity/notes/signedNote.ts';
import { type Finding, MAX_FINDINGS } from '../../verification/finding.ts';
import { type BundleFile, type ByteSource, DIGEST_CHARACTERS, NotABundle, openBundle } from '../format/bundleFile.ts';
import {
  type BundledFile,
  type BundlePart,
  CHECKPOINT_NAME,
  CONSISTENCY,
  eventsName,
  InvalidManifest,
  KEY_CHANGE_NAME,
  MANIFEST,
  type Manifest,
  parseManifest,
  proofsName,
  README,
  STATE,
  VERIFIER,
} from '../format/manifest.ts';
import { SubtreeStack } from '../format/subtreeStack.ts';
import { type BundleVerification, fileFinding } from './bundleVerification.ts';
import type { CheckedPart, PartTexts } from './checkPart.ts';
import { checkSignatures, fingerprintOf } from './checkSignatures.ts';

/** What differs between svc and a browser. */
export interface Platform {
  /** Computes the SHA-256 of a whole file from `from` to before `to`, 64 hex digits. */
  digestOf(source: ByteSource, from: number, to: number): Promise<string>;
  sha256(bytes: Uint8Array): Promise<string>;
  /** Resolves with exactly `size` bytes. @throws Error when the bytes are not those of so many */
  inflate(bytes: Uint8Array, size: number): Promise<Uint8Array>;
  /** Checks parts, in any order or at the same time. Yields the results in the order of the tasks. */
  checkParts(tasks: readonly PartTask[], read: ReadPart): AsyncIterable<CheckedPart>;
}

export interface PartTask {
  readonly part: BundlePart;
  readonly files: readonly [events: BundledFile, proofs: BundledFile];
  readonly origin: string;
}

/** Reads the texts of a part whose digests are those of the manifest. @throws NotABundle */
export type ReadPart = (task: PartTask) => Promise<PartTexts>;

export interface CheckOptions {
  /** A key that the auditor has from elsewhere. */
  readonly trusted?: VerifierKey | undefined;
  readonly onProgress?: ((events: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** SHA-256 of the page verify.html of this svc, and its README.txt. */
  readonly ownVerifier?: string | undefined;
  readonly ownReadme?: string | undefined;
}

/**
 * Verifies a bundle: that each byte is covered by a digest, that each event stands in the tree of the last checkpoint, that the
 * checkpoints continue each other, and who has signed them.
 * @throws Error of the source
 */
export async function checkBundle(
  source: ByteSource,
  platform: Platform,
  options: CheckOptions = {},
): Promise<BundleVerification> {
  const check = new BundleCheck(source, platform, options);
  try {
    return await check.run();
  } catch (error) {
    if (!(error instanceof NotABundle || error instanceof InvalidManifest)) throw error;
    return check.failed(error);
  }
}

/** Opens the texts of a part. */
export const readPartOf =
  (file: BundleFile, platform: Pick<Platform, 'sha256' | 'inflate'>): ReadPart =>
  async ({ part, files: [events, proofs], origin }) => ({
    events: await readText(file, platform, events),
    proofs: await readText(file, platform, proofs),
    from: part.from,
    to: part.to,
    origin,
  });

/** @throws NotABundle unless the entry has the bytes of which the manifest has the digest */
async function readText(
  file: BundleFile,
  platform: Pick<Platform, 'sha256' | 'inflate'>,
  { name, bytes, sha256 }: BundledFile,
): Promise<string> {
  const content = await readEntry(file, platform, name);
  if (content.length !== bytes || (await platform.sha256(content)) !== sha256) {
    throw new NotABundle(`${name} is not what the manifest says: it was changed`);
  }
  return textOf(content, name);
}

function textOf(content: Uint8Array, name: string): string {
  try {
    return decodeText(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  } catch (error) {
    throw new NotABundle(`${name}: ${(error as Error).message}`);
  }
}

async function readEntry(file: BundleFile, platform: Pick<Platform, 'inflate'>, name: string): Promise<Uint8Array> {
  const entry = file.entries.find((candidate) => candidate.name === name);
  if (!entry) throw new NotABundle(`${name} is missing`);
  const compressed = await file.readCompressed(entry);
  try {
    return await platform.inflate(compressed, entry.size);
  } catch (error) {
    throw new NotABundle(`${name} cannot be decompressed: ${(error as Error).message}`);
  }
}

class BundleCheck {
  readonly #source: ByteSource;
  readonly #platform: Platform;
  readonly #options: CheckOptions;
  readonly #findings: Finding[] = [];
  readonly #notes: string[] = [];
  #manifest: Manifest | undefined;

  constructor(source: ByteSource, platform: Platform, options: CheckOptions) {
    this.#source = source;
    this.#platform = platform;
    this.#options = options;
  }

  /** The result for a file that cannot be read to its end. */
  failed(error: Error): BundleVerification {
    this.#findings.push(fileFinding('a bundle as svc writes it', error.message));
    return this.#result({});
  }

  async run(): Promise<BundleVerification> {
    const source = this.#source;
    const file = await openBundle(source);
    const digest = await this.#platform.digestOf(source, 0, source.size - DIGEST_CHARACTERS);
    if (digest !== file.digest)
      this.#findings.push(fileFinding(`SHA-256 ${file.digest} of the file, as it ends`, digest));
    const manifestText = textOf(await readEntry(file, this.#platform, MANIFEST), MANIFEST);
    const manifest = parseManifest(manifestText);
    this.#manifest = manifest;
    requireKnownEntries(file, manifest);
    const text = (name: string) => {
      const found = manifest.files.find((candidate) => candidate.name === name);
      if (!found) throw new NotABundle(`${name} is missing`);
      return readText(file, this.#platform, found);
    };
    const texts = async (pattern: RegExp) => {
      const names = manifest.files.map(({ name }) => name).filter((name) => pattern.test(name));
      return Promise.all(names.map(text));
    };
    await this.#checkPages(manifest, text);
    if (manifest.state) await this.#checkState(manifest.state, text);
    const { key, checkpoints, findings } = checkSignatures(
      {
        vkey: manifest.key,
        origin: manifest.origin,
        checkpoints: await texts(CHECKPOINT_NAME),
        keyChanges: await texts(KEY_CHANGE_NAME),
        consistency: await text(CONSISTENCY),
      },
      this.#options.trusted,
    );
    this.#findings.push(...findings);
    const last = checkpoints.at(-1);
    if (findings.length === 0 && (last?.size !== manifest.treeSize || last.root.toString('hex') !== manifest.root)) {
      const found = `${last?.size ?? 0} leaves and the root ${last?.root.toString('hex')}`;
      this.#findings.push(
        fileFinding(`a last checkpoint of ${manifest.treeSize} leaves and the root ${manifest.root}`, found),
      );
    }
    const events = await this.#checkEvents(file, manifest);
    const isTrusted = this.#options.trusted !== undefined && findings.length === 0;
    return this.#result({
      ...events,
      ...(key && { key: { vkey: key.vkey, fingerprint: fingerprintOf(key), isTrusted } }),
      checkpoints: checkpoints.map(({ size, root, note, signatures }) => ({
        size,
        root: root.toString('base64'),
        note: formatNote(note),
        signedBy: signatures[0]?.key.vkey ?? '',
      })),
    });
  }

  /** What is in the file for people is compared with what this svc would have put there. */
  async #checkPages(manifest: Manifest, text: (name: string) => Promise<string>): Promise<void> {
    const { ownVerifier, ownReadme } = this.#options;
    const page = manifest.files.find(({ name }) => name === VERIFIER);
    if (page?.sha256 !== manifest.verifier)
      this.#findings.push(fileFinding(`${VERIFIER} with the SHA-256 ${manifest.verifier}`, String(page?.sha256)));
    await text(VERIFIER);
    const readme = await text(README);
    if (ownVerifier !== undefined && page?.sha256 !== ownVerifier) {
      this.#notes.push(
        `${VERIFIER} in the file is not the page of this svc (SHA-256 ${ownVerifier}): another version made it, or it was changed. Take the page from a copy that you trust.`,
      );
    }
    if (ownReadme !== undefined && readme !== ownReadme)
      this.#notes.push(`${README} in the file is not that of this svc.`);
  }

  /** Its digest is that of the manifest; nothing proves what it says. */
  async #checkState(
    { position }: NonNullable<Manifest['state']>,
    text: (name: string) => Promise<string>,
  ): Promise<void> {
    await text(STATE);
    this.#notes.push(
      `It states what followed from the events up to position ${position}, which are not all in it (${STATE}). Its maker says so; the checkpoints do not prove it.`,
    );
  }

  async #checkEvents(file: BundleFile, manifest: Manifest) {
    const { parts, origin, treeSize } = manifest;
    const digests = new Map(manifest.files.map((found) => [found.name, found]));
    const tasks = parts.map((part): PartTask => {
      const files = [digests.get(part.events), digests.get(part.proofs)] as [BundledFile, BundledFile];
      return { part, files, origin };
    });
    const stack = new SubtreeStack(0);
    const sum = { events: 0, recomputed: 0, first: 0, last: 0, isContiguous: true, root: null as string | null };
    let isWhole = true;
    let index = 0;
    for await (const checked of this.#platform.checkParts(tasks, readPartOf(file, this.#platform))) {
      this.#options.signal?.throwIfAborted();
      const part = parts[index++] as BundlePart;
      this.#findings.push(...checked.findings);
      if (checked.events !== part.count)
        this.#findings.push(fileFinding(`${part.count} events in ${part.events}`, `${checked.events}`, 'deleted'));
      const follows = sum.last === 0 || checked.first === sum.last + 1;
      if (checked.first > 0) {
        sum.isContiguous &&= checked.isContiguous && follows;
        if (sum.first === 0) sum.first = checked.first;
        sum.last = checked.last;
      }
      sum.events += checked.events;
      sum.recomputed += checked.recomputed;
      this.#options.onProgress?.(sum.events, manifest.events.count);
      isWhole &&= checked.findings.every(({ kind }) => kind === 'edited') && part.from === stack.end;
      if (isWhole) isWhole = joinParts(stack, checked, part);
    }
    this.#compareTotals(sum, manifest.events);
    const isSound = isWhole && stack.end === treeSize;
    if (isSound) sum.root = stack.root().toString('hex');
    if (!isSound && this.#findings.length === 0) {
      this.#findings.push(fileFinding(`proofs of ${treeSize} leaves`, `some of ${stack.end}`, 'truncated'));
    } else if (isSound && sum.root !== manifest.root) {
      const expected = `events that lead to the root ${manifest.root} of the checkpoint`;
      this.#findings.push(fileFinding(expected, `events that lead to ${sum.root}: one of them or a proof was changed`));
    }
    return sum;
  }

  #compareTotals(
    sum: { events: number; recomputed: number; first: number; last: number },
    { count, recomputable, firstPosition, lastPosition }: Manifest['events'],
  ): void {
    const said = `${count} events from ${firstPosition} to ${lastPosition}, ${recomputable} of them with all their data`;
    const found = `${sum.events} events from ${sum.first} to ${sum.last}, ${sum.recomputed} of them with all their data`;
    if (said !== found && this.#findings.length === 0) this.#findings.push(fileFinding(said, found));
  }

  #result(found: Partial<BundleVerification>): BundleVerification {
    const findings = this.#findings.slice(0, MAX_FINDINGS);
    return {
      events: 0,
      root: null,
      key: undefined,
      checkpoints: [],
      recomputed: 0,
      isContiguous: false,
      first: 0,
      last: 0,
      ...found,
      ok: findings.length === 0,
      findings,
      notes: this.#notes,
      manifest: this.#manifest,
    };
  }
}

/** @returns false when the subtrees do not follow each other */
function joinParts(stack: SubtreeStack, { subtrees }: CheckedPart, { to }: BundlePart): boolean {
  try {
    for (const subtree of subtrees) stack.add(subtree);
    return stack.end === to;
  } catch {
    return false;
  }
}

/** Each entry is named by the manifest, and there is no other. @throws NotABundle */
function requireKnownEntries({ entries }: BundleFile, { files, parts, state }: Manifest): void {
  const names = entries.map(({ name }) => name);
  if (names.join() !== [...files.map(({ name }) => name), MANIFEST].join())
    throw new NotABundle('its entries are not those of its manifest');
  const ofParts = parts.flatMap((_, index) => [eventsName(index + 1), proofsName(index + 1)]);
  if (parts.flatMap(({ events, proofs }) => [events, proofs]).join() !== ofParts.join())
    throw new NotABundle('the parts of its manifest are not in order');
  const known = new Set([README, VERIFIER, CONSISTENCY, ...ofParts, ...(state ? [STATE] : [])]);
  const unknown = names
    .slice(0, -1)
    .find((name) => !known.has(name) && !CHECKPOINT_NAME.test(name) && !KEY_CHANGE_NAME.test(name));
  if (unknown !== undefined) throw new NotABundle(`it has an entry ${unknown}, which no bundle has`);
  const missing = [...known].find((name) => !names.includes(name));
  if (missing !== undefined) throw new NotABundle(`${missing} is missing`);
}
