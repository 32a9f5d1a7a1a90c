import { KnownValues } from '../requestBody/knownValues.ts';
import { KnownFrames } from './knownFrames.ts';
import { KnownInputs } from './knownInputs.ts';

/** Memory for all of it together; some 200 conversations of 300 kB, or many more that are shorter. */
const MAX_BYTES = 64 * 1_048_576;

const MAX_CONVERSATIONS = 10_000;

/**
 * What earlier requests contained and was found good, so that it need not be read again. These are prompts: they stay in
 * memory, are bounded, and go when others come; nothing of them is logged.
 */
export class RequestMemory {
  /** Values that many requests have in common, by the name of their member. */
  readonly shared: KnownValues;
  /** The other members, by conversation. */
  readonly ofConversations: KnownValues;
  readonly inputs: KnownInputs;
  /** What stands around all those, by conversation. */
  readonly frames: KnownFrames;

  constructor(maxBytes: number = MAX_BYTES) {
    const part = maxBytes / 8;
    const shared = { maxBytes: part, maxEntryBytes: part / 8, maxPools: 64, maxEntries: 8 };
    this.shared = new KnownValues(shared);
    this.ofConversations = new KnownValues({ ...shared, maxPools: MAX_CONVERSATIONS });
    const inputs = { maxBytes: 5.5 * part, maxEntryBytes: 2 * part, maxPools: MAX_CONVERSATIONS, maxEntries: 8 };
    this.inputs = new KnownInputs(inputs);
    const frames = { maxBytes: part / 2, maxEntryBytes: part / 8, maxPools: MAX_CONVERSATIONS, maxEntries: 2 };
    this.frames = new KnownFrames(frames);
  }

  /** What is held at the moment, in bytes. */
  get size(): number {
    return this.shared.size + this.ofConversations.size + this.inputs.size + this.frames.size;
  }
}
