import type { KnownEvent } from '../../domain/eventTypes.ts';
import { HeaderBlock } from '../../http/wire/headerBlock.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { type PoolUsage, type PoolWindow, poolUsage } from './poolUsage.ts';

export interface LimitHeadersOptions {
  readonly hot: Pick<HotState, 'accounts' | 'usage'>;
  /** Codex reads these headers only under the names that it knows (clients.md 1.5). */
  readonly hasAliases: boolean;
}

/**
 * What is left of the pool, in the head of every answer (specification, "Upstream handling"; provider-and-predecessor.md
 * 6.9). Made anew only after something has changed: an answer must not cost a walk over all accounts.
 */
export class LimitHeaders {
  readonly #hot: LimitHeadersOptions['hot'];
  readonly #families: readonly string[];
  #current: HeaderBlock | undefined;

  constructor({ hot, hasAliases }: LimitHeadersOptions) {
    this.#hot = hot;
    this.#families = hasAliases ? ['x-svc', 'x-codex'] : ['x-svc'];
  }

  get current(): HeaderBlock {
    this.#current ??= new HeaderBlock(headersOf(poolUsage(this.#hot), this.#families));
    return this.#current;
  }

  /** What is left may have changed. */
  onEvent({ type }: Pick<KnownEvent, 'type'>): void {
    switch (type) {
      case 'AccountUsageObserved':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountPlanChanged':
      case 'AccountPaused':
      case 'AccountReactivated':
      case 'AccountDeactivated':
      case 'AccountDeleted':
        this.#current = undefined;
    }
  }
}

function headersOf({ primary, secondary, credits }: PoolUsage, families: readonly string[]): string[] {
  const fields = [
    ...windowFields('primary', primary),
    ...windowFields('secondary', secondary),
    // Each header costs every answer a little, so what nobody has is left out.
    ...(credits
      ? ([
          ['credits-has-credits', 'true'],
          ['credits-unlimited', String(credits.isUnlimited)],
          ['credits-balance', credits.balance.toFixed(2)],
        ] as const)
      : []),
  ];
  return families.flatMap((family) => fields.flatMap(([name, value]) => [`${family}-${name}`, value]));
}

function windowFields(name: string, window: PoolWindow | null): (readonly [name: string, value: string])[] {
  if (!window) return [];
  const { usedPercent, windowMinutes, resetAt } = window;
  return [
    [`${name}-used-percent`, String(usedPercent)],
    [`${name}-window-minutes`, String(windowMinutes)],
    ...(resetAt === null ? [] : [[`${name}-reset-at`, String(Math.ceil(resetAt / 1_000))] as const]),
  ];
}
