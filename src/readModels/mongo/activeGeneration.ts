import { type Position, position } from '../../domain/core/brands.ts';
import type { ArchiveState } from '../archiveReader.ts';
import type { Generations } from './generations.ts';
import type { ReadView } from './readView.ts';
import { RequestKinds } from './requestKinds.ts';
import { RowSpans } from './rowSpans.ts';

/** How long the pointer to the active generation is cached: a switch is noticed within this time. */
export const POINTER_CACHE_MS = 1_000;

interface CurrentView extends ReadView {
  readonly generation: number;
}

/** The generation that queries read, and the position up to which it is known to be complete. */
export class ActiveGeneration {
  readonly #generations: Generations;
  #current: CurrentView | undefined;
  #reading: Promise<CurrentView> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(generations: Generations) {
    this.#generations = generations;
  }

  /** @throws when MongoDB does not respond and the cached pointer has expired */
  async current(): Promise<CurrentView> {
    if (this.#current && performance.now() - this.#readAt < POINTER_CACHE_MS) return this.#current;
    // Concurrent queries share one read of the pointer.
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads how far the generation reaches by now. */
  async refresh(): Promise<CurrentView> {
    const { generation } = await this.current();
    return this.#readMark(generation);
  }

  /** Records how far a generation reaches. @param archive of which it has sums only */
  setReached(generation: number, at: Position, { days: archived, upTo: archivedUpTo }: ArchiveState): CurrentView {
    if (this.#current?.generation !== generation) {
      const collections = this.#generations.collections(generation);
      const [kinds, spans] = [new RequestKinds(collections.kinds), new RowSpans(collections.rowSpans)];
      this.#current = { generation, position: at, archived, archivedUpTo, collections, kinds, spans };
    } else if (at !== this.#current.position || archived.length !== this.#current.archived.length) {
      this.#current = { ...this.#current, position: at, archived, archivedUpTo };
    }
    return this.#current;
  }

  async #read(): Promise<CurrentView> {
    const generation = await this.#generations.active();
    this.#readAt = performance.now();
    if (this.#current?.generation === generation) return this.#current;
    return this.#readMark(generation);
  }

  async #readMark(generation: number): Promise<CurrentView> {
    const [mark, archive] = await Promise.all([
      this.#generations.mark(generation),
      this.#generations.archive(generation),
    ]);
    return this.setReached(generation, mark?.position ?? position(0), archive);
  }
}
