import { LEASE_PREFIX } from '../../sideStreams.ts';
import type { RulesOfStream } from './streamRules.ts';

/**
 * Finds leases whose entries are all hidden by `$tb`: a node that cannot read the last entry can neither take the lease over nor append
 * to its stream. Of a lease only the last entry counts, so `$tb` at or before it does no harm.
 */
export class HiddenLeases {
  /** The revision of the last entry, as far as the log was read since the start. */
  readonly #last = new Map<string, number>();
  readonly #hidden = new Map<string, RulesOfStream>();
  /** The server sets `$tb` of a deleted stream to the revision of its next entry. */
  readonly #deleted = new Set<string>();

  /** @param known rules that an earlier mirror has kept */
  constructor(known: readonly RulesOfStream[]) {
    for (const each of known) if (isTruncatedLease(each)) this.#hidden.set(each.stream, each);
  }

  /** The rules of a stream without what does a lease no harm. */
  harmfulIn(found: RulesOfStream): RulesOfStream {
    const { stream, rules } = found;
    if (!stream.startsWith(LEASE_PREFIX)) return found;
    this.#hidden.delete(stream);
    const { isSoftDeleted, truncateBefore, ...others } = rules;
    const isSetByServer = this.#deleted.delete(stream);
    if (isSoftDeleted) this.#deleted.add(stream);
    if (truncateBefore === undefined || isSetByServer || truncateBefore <= (this.#last.get(stream) ?? -1))
      return { stream, rules: others };
    const hidden = { stream, rules: { ...others, truncateBefore } };
    this.#hidden.set(stream, hidden);
    return hidden;
  }

  /** Called with each entry of a lease. @returns its rules when the entry ends that all are hidden */
  onEntry(stream: string, revision: number): RulesOfStream | undefined {
    this.#last.set(stream, revision);
    const hidden = this.#hidden.get(stream);
    return hidden && revision >= (hidden.rules.truncateBefore ?? 0) ? this.harmfulIn(hidden) : undefined;
  }
}

const isTruncatedLease = ({ stream, rules }: RulesOfStream): boolean =>
  stream.startsWith(LEASE_PREFIX) && rules.truncateBefore !== undefined;
