import { setTimeout as delay } from 'node:timers/promises';
import { position } from '../../domain/core/brands.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import type { ArchiveState } from '../archiveReader.ts';
import { createGenerationBuilder } from './generationBuilder.ts';
import type { Generations } from './generations.ts';
import type { LogReader } from './logReader.ts';

export interface ArchiveRemakeOptions {
  readonly generations: Generations;
  readonly log: LogReader;
  /** The active generation, and the archived segments whose roll-ups it has. */
  readonly generation: number;
  readonly archive: ArchiveState;
  readonly report?: ((line: string) => void) | undefined;
}

const CHECK_INTERVAL_MS = 1_000;
const END = position(Number.MAX_SAFE_INTEGER);
/** When the old generation is removed: readers that have not noticed the switch may still query it. */
const REMOVAL_DELAY_MS = 10_000;

/**
 * Makes the read models again in another generation after days were archived or restored, while the active one is served and
 * advances.
 */
export class ArchiveRemake {
  readonly #options: ArchiveRemakeOptions;
  readonly #term: LeaseTerm;
  #current: ArchiveState;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ArchiveRemakeOptions, term: LeaseTerm) {
    this.#options = options;
    this.#term = term;
    this.#current = options.archive;
  }

  /** Called often: begins once the archive has changed. */
  check(): void {
    if (this.#running || performance.now() - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = performance.now();
    this.#current = this.#options.log.archive.state();
    if (this.#current.signature === this.#options.archive.signature) return;
    this.#running = this.#remake()
      .catch((error: Error) => {
        if (this.#isEnded()) return;
        this.#options.report?.(`The read models could not be made again after days were archived: ${error.message}`);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Whether events behind a position may be archived by now. */
  isBehindArchive(at: number): boolean {
    return this.#current.signature !== this.#options.archive.signature && at < this.#current.upTo;
  }

  /** Resolves when nothing is being made any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  #isEnded(): boolean {
    return this.#isStopped || !this.#term.isHeld();
  }

  async #remake(): Promise<void> {
    const { generations, log, generation } = this.#options;
    const next = generation + 1;
    await generations.remove(next);
    const builder = await createGenerationBuilder(generations, log, next);
    await builder.buildTo(END, () => this.#isEnded());
    // Queries must not go back in time.
    const live = await generations.mark(generation);
    if (live) await builder.buildTo(position(Math.max(live.position, log.head())), () => this.#isEnded());
    if (this.#isEnded() || log.archive.signature() !== builder.archive.signature) return;
    if (!(await generations.activate(next, generation))) return;
    void delay(REMOVAL_DELAY_MS, undefined, { ref: false })
      .then(() => generations.remove(generation))
      // The next rebuild removes the rest.
      .catch(() => undefined);
  }
}
