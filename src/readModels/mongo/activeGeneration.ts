import { type Position, position } from '../../domain/core/brands.ts';
import type { Generations } from './generations.ts';
import type { ReadView } from './readView.ts';
import { RequestKinds } from './requestKinds.ts';

/** So long a generation is read without looking whether it still is the one: a switch is seen within this. */
export const POINTER_CACHE_MS = 1_000;

interface Current extends ReadView {
  readonly generation: number;
}

/** The generation that is read at the moment, and how far it certainly reaches. */
export class ActiveGeneration {
  readonly #generations: Generations;
  #current: Current | undefined;
  #looking: Promise<Current> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(generations: Generations) {
    this.#generations = generations;
  }

  /** @throws when MongoDB does not answer and the last look is too old */
  async current(): Promise<Current> {
    if (this.#current && performance.now() - this.#lookedAt < POINTER_CACHE_MS) return this.#current;
    // Many queries at once are one look.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Asks how far it reaches by now. */
  async refresh(): Promise<Current> {
    const { generation } = await this.current();
    const mark = await this.#generations.mark(generation);
    return this.setReached(generation, mark?.position ?? position(0));
  }

  /** Takes note of how far a generation reaches. */
  setReached(generation: number, at: Position): Current {
    if (this.#current?.generation !== generation) {
      const collections = this.#generations.collections(generation);
      this.#current = { generation, position: at, collections, kinds: new RequestKinds(collections.kinds) };
    } else if (at !== this.#current.position) {
      this.#current = { ...this.#current, position: at };
    }
    return this.#current;
  }

  async #look(): Promise<Current> {
    const generation = await this.#generations.active();
    this.#lookedAt = performance.now();
    if (this.#current?.generation === generation) return this.#current;
    const mark = await this.#generations.mark(generation);
    return this.setReached(generation, mark?.position ?? position(0));
  }
}
