/**
 * The question who it is that what cannot be undone asks of sessions (docs/decisions/0084-what-cannot-be-undone.md). Requests that are
 * refused meanwhile wait for the same answer.
 */
class Reauthentication {
  isAsked = $state(false);
  #answer: Promise<boolean> | undefined;
  #resolve: ((isProven: boolean) => void) | undefined;

  /** @returns whether the person proved who they are; false when they cancelled */
  ask(): Promise<boolean> {
    this.isAsked = true;
    this.#answer ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#answer;
  }

  answer(isProven: boolean): void {
    this.isAsked = false;
    this.#resolve?.(isProven);
    this.#answer = undefined;
    this.#resolve = undefined;
  }
}

export const reauthentication = new Reauthentication();
