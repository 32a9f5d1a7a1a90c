import { isSealed } from './openIfSealed.ts';
import { CannotUnseal, type Vault } from './vault.ts';

/**
 * Opens the sealed fields of one object on the wire, and keeps the names of those that were forgotten
 * (docs/decisions/0092-forgotten-is-named.md).
 */
export class SealedFields {
  readonly #vault: Pick<Vault, 'open'>;
  readonly #forgotten: string[] = [];

  constructor(vault: Pick<Vault, 'open'>) {
    this.#vault = vault;
  }

  /**
   * A text as an event recorded it: sealed, or in plain by earlier versions.
   * @param fields those that the text is shown in
   * @returns null when there is none, and when it cannot be opened
   */
  open(fields: string | readonly string[], recorded: string | null | undefined): string | null {
    if (recorded === null || recorded === undefined || !isSealed(recorded)) return recorded ?? null;
    try {
      return this.#vault.open(recorded);
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error;
      if (error.isForgotten) this.#forgotten.push(...[fields].flat());
      return null;
    }
  }

  /** To be spread into the object, once its fields were opened: `forgotten` with their names, if there are any. */
  forgotten(): { forgotten?: string[] } {
    return this.#forgotten.length === 0 ? {} : { forgotten: this.#forgotten };
  }
}
