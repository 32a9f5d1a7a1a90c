import type { KnownEvent } from '../../domain/eventTypes.ts';
import { HeaderBlock } from '../../http/wire/headers.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { computePoolUsage, type PoolUsage, type PoolWindow } from './poolUsage.ts';

export interface LimitHeadersOptions {
  readonly hot: Pick<HotState, 'accounts' | 'usage'>;
  /** Adds the names that Codex reads (docs/clients.md#codex-reads-limits-from-x-codex-headers). */
  readonly hasAliases: boolean;
}

/**
 * The usage of the pool as headers of every response (docs/provider.md#rate-limit-headers). They are cached until an event
 * may have changed them, because a response must not cost an iteration over all accounts.
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
    this.#current ??= new HeaderBlock(headersOf(computePoolUsage(this.#hot), this.#families));
    return this.#current;
  }

  /** Invalidates the headers if the event may have changed them. */
  onFolded({ type }: Pick<KnownEvent, 'type'>): void {
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
    // Omitted when no account has credits, because each header costs every response a little.
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
