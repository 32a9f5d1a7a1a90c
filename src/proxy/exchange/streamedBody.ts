/**
 * A request body that is sent while it arrives. It keeps only the beginning in memory, so it can be sent again only until
 * something after the beginning was read.
 */
export class StreamedBody {
  readonly #rest: AsyncIterator<Buffer>;
  readonly #onBroken: (error: unknown) => void;
  #beginning: readonly Buffer[];
  #isSpent = false;
  sentBytes = 0;

  /** @param onBroken called when the rest cannot be read, before the call to the provider fails */
  constructor(beginning: readonly Buffer[], rest: AsyncIterator<Buffer>, onBroken: (error: unknown) => void) {
    this.#beginning = beginning;
    this.#rest = rest;
    this.#onBroken = onBroken;
  }

  /** Whether the body can be sent from its start. */
  get canRepeat(): boolean {
    return !this.#isSpent;
  }

  /** Reads the body from its start. @param onChunk called for every chunk after the beginning, as a sign of activity */
  async *open(onChunk: () => void): AsyncGenerator<Buffer> {
    this.sentBytes = 0;
    for (const chunk of this.#beginning) {
      this.sentBytes += chunk.length;
      yield chunk;
    }
    this.#isSpent = true;
    this.#beginning = [];
    try {
      for (;;) {
        const { done, value } = await this.#rest.next();
        if (done) return;
        onChunk();
        this.sentBytes += value.length;
        yield value;
      }
    } catch (error) {
      this.#onBroken(error);
      throw error;
    }
  }
}
