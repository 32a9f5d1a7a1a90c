import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { GROUP_SIZE, type GroupData, groupOf, stateIn } from '../fold/checkpointGroup.ts';
import { checkpointDataOf, type KeptCheckpoint } from '../fold/checkpoints.ts';
import type { HotState } from '../fold/hotState.ts';

/** The fastest: of higher levels the files hardly become smaller. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A group as it is in a file. */
export interface EncodedGroup {
  readonly bytes: Uint8Array;
  /** Number of checkpoints. */
  readonly size: number;
}

/** What a snapshot says of a checkpoint without reading its group. */
export type CheckpointEntry = Omit<KeptCheckpoint, 'read'>;

/** A group in the file of a snapshot. */
class StoredGroup {
  readonly size: number;
  /** Undefined when the file cannot be read, or was changed. */
  readonly bytes: () => Uint8Array | undefined;
  /** Neighbours are often asked for together; held no longer than memory allows. */
  #data: WeakRef<GroupData> | undefined;

  constructor(size: number, bytes: () => Uint8Array | undefined) {
    this.size = size;
    this.bytes = bytes;
  }

  stateAt(index: number): HotState | undefined {
    const data = this.#data?.deref() ?? this.#read();
    return data && stateIn(data, index);
  }

  #read(): GroupData | undefined {
    const bytes = this.bytes();
    const data = bytes && (deserialize(zstdDecompressSync(bytes)) as GroupData);
    this.#data = data && new WeakRef(data);
    return data;
  }
}

class StoredCheckpoint implements KeptCheckpoint {
  readonly position: Position;
  readonly latest: Instant;
  readonly subjects: number;
  readonly group: StoredGroup;
  /** In the group. */
  readonly index: number;

  constructor({ position, latest, subjects }: CheckpointEntry, group: StoredGroup, index: number) {
    this.position = position;
    this.latest = latest;
    this.subjects = subjects;
    this.group = group;
    this.index = index;
  }

  read(): HotState | undefined {
    return this.group.stateAt(this.index);
  }
}

/**
 * The checkpoints of a file, whose states are read when they are asked for.
 * @param sizes of the groups
 * @param bytesOf reads a group by its number
 */
export function storedCheckpoints(
  entries: readonly CheckpointEntry[],
  sizes: readonly number[],
  bytesOf: (group: number) => Uint8Array | undefined,
): KeptCheckpoint[] {
  let next = 0;
  return sizes.flatMap((size, number) => {
    const group = new StoredGroup(size, () => bytesOf(number));
    const members = entries.slice(next, next + size);
    next += size;
    return members.map((entry, index) => new StoredCheckpoint(entry, group, index));
  });
}

/**
 * The groups of checkpoints for a file. Full ones of the snapshot before are passed on unread, so that the cost of a snapshot
 * does not grow with the log.
 * @throws when a checkpoint cannot be read
 */
export function* encodeGroups(kept: readonly KeptCheckpoint[]): Generator<EncodedGroup> {
  let begun: KeptCheckpoint[] = [];
  for (let at = 0; at < kept.length; ) {
    const full = fullGroupAt(kept, at);
    if (full) {
      if (begun.length > 0) yield encode(begun);
      begun = [];
      yield full;
      at += full.size;
      continue;
    }
    begun.push(kept[at] as KeptCheckpoint);
    at += 1;
    if (begun.length < GROUP_SIZE) continue;
    yield encode(begun);
    begun = [];
  }
  if (begun.length > 0) yield encode(begun);
}

/** The stored group whose checkpoints are the next ones, if all of them are still kept. */
function fullGroupAt(kept: readonly KeptCheckpoint[], at: number): EncodedGroup | undefined {
  const [first, last] = [kept[at], kept[at + GROUP_SIZE - 1]];
  if (!(first instanceof StoredCheckpoint && last instanceof StoredCheckpoint)) return undefined;
  if (first.group !== last.group || last.index - first.index !== GROUP_SIZE - 1) return undefined;
  const bytes = first.group.bytes();
  return bytes && { bytes, size: GROUP_SIZE };
}

function encode(checkpoints: readonly KeptCheckpoint[]): EncodedGroup {
  const states = checkpoints.map((checkpoint) => {
    const state = checkpoint.read();
    if (!state) throw new Error(`the checkpoint at ${checkpoint.position} of the snapshot before cannot be read`);
    return checkpointDataOf(state);
  });
  return { bytes: zstdCompressSync(serialize(groupOf(states)), COMPRESSION), size: states.length };
}
