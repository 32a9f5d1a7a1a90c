import { createSubscriber } from 'svelte/reactivity';

/** The current time, updated every second while a component reads it; the time of an earlier moment while one is shown. */
class Now {
  /** The time of the earlier moment that pages show. */
  frozen = $state<number>();
  #value = Date.now();
  readonly #subscribe = createSubscriber((update) => {
    this.#value = Date.now();
    const timer = setInterval(() => {
      this.#value = Date.now();
      update();
    }, 1_000);
    return () => clearInterval(timer);
  });

  /** As `ms`, read once. */
  get current(): number {
    return this.frozen ?? Date.now();
  }

  get ms(): number {
    if (this.frozen !== undefined) return this.frozen;
    this.#subscribe();
    return this.#value;
  }
}

export const now = new Now();
