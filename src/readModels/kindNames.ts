import { OTHER } from '../../projections/figures.ts';
import type { RequestKind } from '../../projections/requestLog.ts';

/** How many names have kinds of their own: those of failed requests, and further ones of requests that succeeded. */
interface Bound {
  readonly failed: number;
  readonly succeeded: number;
}

export const MAX_MODELS: Bound = { failed: 500, succeeded: 1_000 };
export const MAX_EFFORTS: Bound = { failed: 20, succeeded: 40 };

/**
 * Clients choose models and efforts freely, so that the kinds of requests have a bounded number of them: the first ones of the log, all
 * later ones are `other`. What a provider accepted has room that failures cannot take. The log decides, so that a rebuild gives the same
 * (docs/decisions/0111-kinds-have-a-bounded-number-of-names.md).
 */
export class KindNames {
  #models: Set<string> = new Set([OTHER]);
  #efforts: Set<string | null> = new Set([OTHER, null]);

  /** Adds the names of a kind that the read models have. */
  load({ model, effort }: RequestKind): void {
    this.#models.add(model);
    this.#efforts.add(effort);
  }

  /** The kind that the next request is counted as: the same object if its names are within the bounds. */
  kindOf<Kind extends RequestKind>(kind: Kind): Kind | RequestKind {
    const isModel = admit(this.#models, kind.model, kind.status, MAX_MODELS);
    const isEffort = admit(this.#efforts, kind.effort, kind.status, MAX_EFFORTS);
    if (isModel && isEffort) return kind;
    const { accountId, status } = kind;
    return { accountId, model: isModel ? kind.model : OTHER, effort: isEffort ? kind.effort : OTHER, status };
  }

  /** Forgets all names, e.g. before those of a file are loaded again. */
  clear(): void {
    this.#models = new Set([OTHER]);
    this.#efforts = new Set([OTHER, null]);
  }
}

function admit<Name>(names: Set<Name>, name: Name, status: string, { failed, succeeded }: Bound): boolean {
  if (names.has(name)) return true;
  if (names.size > (status === '200' ? succeeded : failed)) return false;
  names.add(name);
  return true;
}

/** Whether the names of a kind may not be those of its requests. */
export const hasNamesBeyond = ({ model, effort }: RequestKind): boolean => model === OTHER || effort === OTHER;
