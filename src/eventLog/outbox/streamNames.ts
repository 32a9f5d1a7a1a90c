/**
 * The streams that a node goes on writing to. When the store takes nothing more in a stream, its writer continues in a fresh
 * one, without knowing of it: the fresh stream is empty, so the next append ends in a conflict with its actual revision.
 */
export class StreamNames {
  readonly #fresh = new Map<string, string>();

  /** The stream to write to. */
  current(stream: string): string {
    return this.#fresh.get(stream) ?? stream;
  }

  /** Nothing more is written to this stream. */
  close(closed: string): void {
    const original = [...this.#fresh].find(([, fresh]) => fresh === closed)?.[0] ?? closed;
    const number = original === closed ? 2 : Number(closed.slice(original.length + 1)) + 1;
    this.#fresh.set(original, `${original}_${number}`);
  }
}
