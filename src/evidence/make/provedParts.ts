import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { leafHash } from '../../integrity/merkle/hashes.ts';
import type { SubtreeHash } from '../../integrity/merkle/proofs.ts';
import { leafEntryOfLine, writeEventLine } from '../format/eventLine.ts';
import { type BundlePart, eventsName, proofsName } from '../format/manifest.ts';
import { fullSubtrees, writeProofLine } from '../format/proofLine.ts';
import { SubtreeStack } from '../format/subtreeStack.ts';
import { eventLineOf } from './eventLineOf.ts';

/** Bounds of a part, which a verifier holds in memory. A part has one event at least. */
const MAX_EVENTS = 2_048;
const MAX_CHARACTERS = 2 * 1_048_576;
/** Some 160 kB of text; also bounds what is kept of the tiles that the hashes are from. */
const MAX_PROOFS = 16_384;

export interface ProvedPart {
  readonly part: BundlePart;
  readonly events: string;
  readonly proofs: string;
}

export interface ProvedEventsOptions {
  readonly origin: string;
  /** Leaves of the tree of the checkpoint. */
  readonly treeSize: number;
  /** Opens the hashes of the tree; called for each part, since it keeps the tiles that it has read. */
  readonly subtrees: () => SubtreeHash;
}

/** Makes the lines of events and the hashes of all leaves between them, part by part, in bounded memory. */
export class ProvedEvents {
  readonly #options: ProvedEventsOptions;
  readonly #tree = new SubtreeStack(0);
  #events: string[] = [];
  #proofs: string[] = [];
  #characters = 0;
  #from = 0;
  #subtree: SubtreeHash;
  #parts = 0;
  #count = 0;
  #recomputable = 0;
  #first = 0;
  #last = 0;

  constructor(options: ProvedEventsOptions) {
    this.#options = options;
    this.#subtree = options.subtrees();
  }

  get counts() {
    return {
      count: this.#count,
      firstPosition: this.#first,
      lastPosition: this.#last,
      recomputable: this.#recomputable,
    };
  }

  /** The root that follows from the events and the hashes, once it is finished. */
  root(): Buffer {
    return this.#tree.root();
  }

  /**
   * Adds an event, which has a higher position than those before.
   * @returns a part when one is complete
   */
  add(row: StoredRow): ProvedPart | undefined {
    const line = eventLineOf(row, this.#options.origin);
    const text = writeEventLine(line);
    const isFull =
      this.#events.length === MAX_EVENTS ||
      this.#proofs.length >= MAX_PROOFS ||
      (this.#events.length > 0 && this.#characters + text.length > MAX_CHARACTERS);
    const part = isFull ? this.#close() : undefined;
    this.#cover(row.position - 1);
    this.#tree.add({ from: row.position - 1, width: 1, hash: leafHash(leafEntryOfLine(line)) });
    this.#events.push(text);
    this.#characters += text.length;
    this.#count += 1;
    if (line.dataproof === 'recomputable') this.#recomputable += 1;
    if (this.#first === 0) this.#first = row.position;
    this.#last = row.position;
    return part;
  }

  /** The last part, which reaches the end of the tree. */
  finish(): ProvedPart {
    this.#cover(this.#options.treeSize);
    return this.#close();
  }

  #cover(upTo: number): void {
    for (const [from, to] of fullSubtrees(this.#tree.end, upTo)) {
      const hash = this.#subtree(from, to);
      this.#proofs.push(writeProofLine({ from, to, hash }));
      this.#tree.add({ from, width: to - from, hash });
    }
  }

  #close(): ProvedPart {
    this.#parts += 1;
    const part: BundlePart = {
      events: eventsName(this.#parts),
      proofs: proofsName(this.#parts),
      count: this.#events.length,
      from: this.#from,
      to: this.#tree.end,
    };
    const proved = { part, events: linesOf(this.#events), proofs: linesOf(this.#proofs) };
    this.#from = this.#tree.end;
    this.#events = [];
    this.#proofs = [];
    this.#characters = 0;
    this.#subtree = this.#options.subtrees();
    return proved;
  }
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
