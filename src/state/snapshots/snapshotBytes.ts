import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Position } from '../../domain/core/brands.ts';
import { type Checkpoint, Checkpoints, type CheckpointsParts, checkpointDataOf } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { HotState, type HotStateData } from '../fold/hotState.ts';
import { type CheckpointEntry, encodeGroups, storedCheckpoints } from './checkpointGroups.ts';
import { foldName } from './foldVersion.ts';
import type { FileBytes } from './openFile.ts';

/** The event that a snapshot ends with. Its hash distinguishes it from an event of another log and from a changed one. */
export interface SnapshotMark {
  readonly position: Position;
  readonly eventId: string;
  readonly eventHash: string;
}

export interface Snapshot extends SnapshotMark {
  readonly fold: Fold;
}

/** A snapshot cannot be used. The message continues a sentence that begins with the file's name. */
export class UnusableSnapshot extends Error {
  override readonly name = 'UnusableSnapshot';
}

type Part = readonly [bytes: number, sha256: string];
/** The parts are an `Index`, the state at the end, and groups of checkpoints. */
type Head = SnapshotMark & { readonly fold: string; readonly parts: readonly Part[] };

interface Index extends Pick<CheckpointsParts, 'stretches' | 'spacing'> {
  readonly base: { readonly state: Partial<HotStateData>; readonly latest: Checkpoint['latest'] } | undefined;
  readonly kept: readonly CheckpointEntry[];
  /** Number of checkpoints in each group. */
  readonly groups: readonly number[];
}

/** Of the parts. Raised with every change of what they hold beside states: files of another svc are then passed over. */
const FORMAT = 2;
/** What a file was made by. */
const maker = `${foldName}/${FORMAT}`;

/** HMAC-SHA256 in hex. */
const MAC_LENGTH = 64;
const LINE_BREAK = '\n';
const [INDEX, STATE, FIRST_GROUP] = [0, 1, 2];

/**
 * The bytes of a snapshot: the MAC of its second line, which is JSON and has the length and the SHA-256 of each part, and the
 * parts, in V8's serialization format (docs/decisions/0013-hot-state-and-snapshots.md).
 * @param key from `snapshotKey`
 */
export function encodeSnapshot({ fold: { state, checkpoints }, ...mark }: Snapshot, key: Uint8Array): Uint8Array[] {
  const { stretches, spacing, base, kept } = checkpoints.parts;
  const groups = [...encodeGroups(kept)];
  const index: Index = {
    ...{ stretches, spacing },
    base: base && { state: checkpointDataOf(base.state), latest: base.latest },
    kept: kept.map(({ position, latest, subjects }) => ({ position, latest, subjects })),
    groups: groups.map(({ size }) => size),
  };
  const parts = [serialize(index), serialize(state.data()), ...groups.map(({ bytes }) => bytes)];
  const described = parts.map((part): Part => [part.length, hash('sha256', part)]);
  const head = JSON.stringify({ fold: maker, ...mark, parts: described } satisfies Head);
  return [Buffer.from(macOf(head, key) + LINE_BREAK + head + LINE_BREAK), ...parts];
}

/** A snapshot in the bytes of its file. Nothing is interpreted before it is verified; a part is verified when it is read. */
export class SnapshotBytes {
  readonly #bytes: FileBytes;
  readonly #begins: readonly number[];
  readonly #parts: readonly Part[];
  /** Groups of checkpoints in memory, by the number of their part. */
  readonly #loaded = new Map<number, Buffer>();
  readonly mark: SnapshotMark;

  /** @throws UnusableSnapshot when the head is not authentic or of another fold, or the file is shorter or longer than it says */
  constructor(bytes: FileBytes, key: Uint8Array) {
    this.#bytes = bytes;
    const mac = bytes.read(0, MAC_LENGTH);
    const head = bytes.lineAt(MAC_LENGTH + 1);
    if (!head || !isSame(mac, Buffer.from(macOf(head, key)))) throw notAuthentic();
    const { fold, parts, ...mark } = JSON.parse(head.toString()) as Head;
    if (fold !== maker) throw new UnusableSnapshot('was made by another version of svc');
    const ends = [MAC_LENGTH + 1 + head.length + 1];
    for (const [length] of parts) ends.push((ends.at(-1) ?? 0) + length);
    this.#begins = ends;
    if (ends.at(-1) !== bytes.size) throw notAuthentic();
    [this.#parts, this.mark] = [parts, mark];
  }

  /**
   * Verifies all of it. What is not interpreted at once stays in memory, so that the file is not read again.
   * @throws UnusableSnapshot when a part is not what was written
   */
  load(): Snapshot {
    for (let part = FIRST_GROUP; part < this.#parts.length; part += 1) {
      const bytes = this.#part(part);
      if (!bytes) throw notAuthentic();
      this.#loaded.set(part, bytes);
    }
    const state = this.state();
    if (!state) throw notAuthentic();
    return { ...this.mark, fold: { state, checkpoints: this.checkpoints() } };
  }

  /** The state at its end; undefined when that cannot be read, or was changed. Belongs to the caller. */
  state(): HotState | undefined {
    const bytes = this.#part(STATE);
    return bytes && HotState.from(deserialize(bytes) as HotStateData);
  }

  /** Their states are read when they are asked for. @throws UnusableSnapshot when their index is not what was written */
  checkpoints(): Checkpoints {
    const bytes = this.#part(INDEX);
    if (!bytes) throw notAuthentic();
    const { stretches, spacing, base, kept, groups } = deserialize(bytes) as Index;
    return Checkpoints.from({
      ...{ stretches, spacing },
      base: base && { state: HotState.from(base.state), latest: base.latest },
      kept: storedCheckpoints(kept, groups, (group) => this.#part(FIRST_GROUP + group)),
    });
  }

  /** @returns undefined when it cannot be read, or is not what was written */
  #part(number: number): Buffer | undefined {
    const loaded = this.#loaded.get(number);
    if (loaded) return loaded;
    const [length, sha256] = this.#parts[number] as Part;
    try {
      const bytes = this.#bytes.read(this.#begins[number] as number, length);
      return hash('sha256', bytes) === sha256 ? bytes : undefined;
    } catch {
      return undefined;
    }
  }
}

const notAuthentic = () =>
  new UnusableSnapshot(
    'is not authentic: it is damaged, was changed, or was written with another master key or by an older svc',
  );

const macOf = (head: string | Buffer, key: Uint8Array): string => createHmac('sha256', key).update(head).digest('hex');

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
