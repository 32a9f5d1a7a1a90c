import { createSubscriber } from 'svelte/reactivity';

/** The time, for what is shown relative to it: whoever reads it is told every second, and nobody else costs anything. */
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
