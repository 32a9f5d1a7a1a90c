import { createSubscriber } from 'svelte/reactivity';

/** The current time, updated every second while a component reads it. */
class Now {
  #value = Date.now();
  readonly #subscribe = createSubscriber((update) => {
    this.#value = Date.now();
    const timer = setInterval(() => {
      this.#value = Date.now();
      update();
    }, 1_000);
    return () => clearInterval(timer);
  });

  get ms(): number {
    this.#subscribe();
    return this.#value;
  }
}

export const now = new Now();
