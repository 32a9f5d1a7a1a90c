import type { ApiKeyId, Position } from '../../domain/core/brands.ts';
import {
  AnswerLengths,
  type ExpectedOutput,
  exceedsExpected,
  expectedOutput,
} from '../../domain/limits/answerLengths.ts';

/** Answers with one model: of one key, or of all keys. */
interface Entry {
  readonly lengths: AnswerLengths;
  lastUsedAt: Position;
}

type ByModel = Map<string, Entry>;

/** The history by column, in the order of its maps. */
export interface AnswerHistoryData {
  /** Null: all keys. */
  readonly keys: readonly (ApiKeyId | null)[];
  readonly models: readonly string[];
  readonly lastUsedAt: Float64Array;
  /** Number of answers of each entry. */
  readonly counts: Uint8Array;
  /** The answers of all entries, one entry after the other, oldest answer first. */
  readonly lengths: Uint32Array;
}

/** Maximum number of pairs of key and model, and models of all keys. When it is reached, the least recently used go. */
const MAX_ENTRIES = 4_096;
/** More than one at a time, because finding the oldest reads all. */
const EVICTED_AT_ONCE = MAX_ENTRIES / 8;

/** How long the last answers were, by key and model. The estimates of new requests follow from it. */
export class AnswerHistory {
  readonly #byKey = new Map<ApiKeyId | null, ByModel>();
  /** The part for all keys, which every request needs; undefined until it is looked up. */
  #ofAll: ByModel | undefined;
  #size = 0;

  static from({ keys, models, lastUsedAt, counts, lengths }: AnswerHistoryData): AnswerHistory {
    const history = new AnswerHistory();
    let at = 0;
    keys.forEach((keyId, index) => {
      const entry = history.#entryOf(keyId, models[index] as string, lastUsedAt[index] as Position);
      const end = at + (counts[index] as number);
      for (const tokens of lengths.subarray(at, end)) entry.lengths.add(tokens);
      at = end;
    });
    return history;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Called for every completed request with usage.
   * @param isWhole false when the answer was cut off
   */
  record(keyId: ApiKeyId | null, model: string, outputTokens: number, isWhole: boolean, at: Position): void {
    if (keyId !== null) this.#add(keyId, model, outputTokens, isWhole, at);
    this.#add(null, model, outputTokens, isWhole, at);
    if (this.#size > MAX_ENTRIES) this.#evict();
  }

  /** Called when a key is deleted. */
  forget(keyId: ApiKeyId): void {
    this.#size -= this.#byKey.get(keyId)?.size ?? 0;
    this.#byKey.delete(keyId);
  }

  expected(keyId: ApiKeyId, model: string): ExpectedOutput {
    return expectedOutput(this.#find(keyId, model)?.lengths, this.#find(null, model)?.lengths);
  }

  data(): AnswerHistoryData {
    const rows = [...this.#byKey].flatMap(([keyId, byModel]) =>
      [...byModel].map(([model, { lengths, lastUsedAt }]) => ({
        keyId,
        model,
        lastUsedAt,
        lengths: lengths.toArray(),
      })),
    );
    return {
      keys: rows.map(({ keyId }) => keyId),
      models: rows.map(({ model }) => model),
      lastUsedAt: Float64Array.from(rows, ({ lastUsedAt }) => lastUsedAt),
      counts: Uint8Array.from(rows, ({ lengths }) => lengths.length),
      lengths: Uint32Array.from(rows.flatMap(({ lengths }) => lengths)),
    };
  }

  #add(keyId: ApiKeyId | null, model: string, outputTokens: number, isWhole: boolean, at: Position): void {
    if (!isWhole && !exceedsExpected(this.#find(keyId, model)?.lengths, outputTokens)) return;
    const entry = this.#entryOf(keyId, model, at);
    entry.lengths.add(outputTokens);
    entry.lastUsedAt = at;
  }

  #find(keyId: ApiKeyId | null, model: string): Entry | undefined {
    return this.#byModelOf(keyId)?.get(model);
  }

  #byModelOf(keyId: ApiKeyId | null): ByModel | undefined {
    if (keyId !== null) return this.#byKey.get(keyId);
    this.#ofAll ??= this.#byKey.get(null);
    return this.#ofAll;
  }

  #entryOf(keyId: ApiKeyId | null, model: string, at: Position): Entry {
    let byModel = this.#byModelOf(keyId);
    if (!byModel) {
      byModel = new Map();
      this.#byKey.set(keyId, byModel);
    }
    let entry = byModel.get(model);
    if (!entry) {
      entry = { lengths: new AnswerLengths(), lastUsedAt: at };
      byModel.set(model, entry);
      this.#size += 1;
    }
    return entry;
  }

  /** Removes the least recently used entries. A key and its model share a position: then the first in the maps goes first. */
  #evict(): void {
    const all = [...this.#byKey].flatMap(([keyId, byModel]) =>
      [...byModel].map(([model, { lastUsedAt }]) => ({ keyId, byModel, model, lastUsedAt })),
    );
    const oldest = all.toSorted((a, b) => a.lastUsedAt - b.lastUsedAt).slice(0, EVICTED_AT_ONCE);
    for (const { keyId, byModel, model } of oldest) {
      byModel.delete(model);
      if (byModel.size === 0) this.#byKey.delete(keyId);
    }
    this.#ofAll = undefined;
    this.#size -= oldest.length;
  }
}
