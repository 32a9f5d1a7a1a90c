/**
 * A body that is sent while it arrives. Only its beginning is kept: it can be sent again as long as nothing behind that was
 * asked for.
 */
export class StreamedBody {
  readonly #rest: AsyncIterator<Buffer>;
  readonly #onBroken: (error: unknown) => void;
  #beginning: readonly Buffer[];
  #isSpent = false;
  /** How much of it has passed, in bytes. */
  sentBytes = 0;

  /** @param onBroken what was on its way cannot go on; told before the call to the provider ends */
  constructor(beginning: readonly Buffer[], rest: AsyncIterator<Buffer>, onBroken: (error: unknown) => void) {
    this.#beginning = beginning;
    this.#rest = rest;
    this.#onBroken = onBroken;
  }

  get canRepeat(): boolean {
    return !this.#isSpent;
  }

  /** @param onPiece each piece is a sign of life */
  async *open(onPiece: () => void): AsyncGenerator<Buffer> {
    this.sentBytes = 0;
    for (const piece of this.#beginning) {
      this.sentBytes += piece.length;
      yield piece;
    }
    this.#isSpent = true;
    this.#beginning = [];
    try {
      for (;;) {
        const { done, value } = await this.#rest.next();
        if (done) return;
        onPiece();
        this.sentBytes += value.length;
        yield value;
      }
    } catch (error) {
      this.#onBroken(error);
      throw error;
    }
  }
}
