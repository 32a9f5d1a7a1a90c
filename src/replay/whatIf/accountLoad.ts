import { creditsOf } from '../../domain/account/planCredits.ts';
import type { Account } from '../../domain/account/state.ts';
import type { UsageSample, UsageWindow } from '../../domain/accountUsage/events.ts';
import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import type { WindowName } from '../../domain/accountUsage/windowMinutes.ts';
import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import type { PlusAccount, PlusWindow } from './whatIf.ts';

const WINDOWS = ['primary', 'secondary'] as const satisfies readonly WindowName[];
/** Reset times that the provider gives as a delay vary by the duration of its response. */
const SAME_RESET_MS = 10_000;
/** Of plans whose credits are not known. */
const DEFAULT_CREDITS = creditsOf('plus');

type PerWindow<Value> = { [Name in WindowName]: Value };
const perWindow = <Value>(make: (name: WindowName) => Value): PerWindow<Value> => ({
  primary: make('primary'),
  secondary: make('secondary'),
});

interface AddedAccount {
  readonly planned: PlusAccount;
  /** Tokens in the current window, and when that ends; null before the first request. */
  readonly used: PerWindow<{ tokens: number; base: number; resetAt: Instant | null }>;
}

/**
 * How much of their windows accounts have used in a simulation. What an account itself reported counts; requests that move
 * to or from it are converted from tokens to percent by what a token cost in credits so far, over all accounts.
 */
export class AccountLoad {
  readonly #credits = perWindow(() => ({ credits: 0, tokens: 0 }));
  /** Tokens that the recording served on each account since its last sample. */
  readonly #sinceSample = new Map<AccountId, PerWindow<number>>();
  /** Tokens that each account serves beyond the recorded ones in its current windows; negative when it serves less. */
  readonly #moved = new Map<AccountId, PerWindow<number>>();
  readonly #added: ReadonlyMap<AccountId, AddedAccount>;

  /** @param from when the simulation begins */
  constructor(added: readonly PlusAccount[], from: Instant) {
    const usedOf = ({ usedPercent, windowMinutes }: PlusWindow) => ({
      tokens: 0,
      base: usedPercent,
      resetAt: usedPercent > 0 ? instant(from + windowMinutes * 60_000) : null,
    });
    this.#added = new Map(
      added.map((planned) => [planned.id, { planned, used: perWindow((name) => usedOf(planned[name])) }]),
    );
  }

  /** Whether a token was ever seen to cost something. */
  get isCalibrated(): boolean {
    return this.#credits.primary.credits > 0 || this.#credits.secondary.credits > 0;
  }

  /** Called when an account has reported its usage. */
  onSample(
    { id, planType }: Pick<Account, 'id' | 'planType'>,
    before: UsageSample | undefined,
    after: UsageSample,
  ): void {
    const served = this.#sinceSample.get(id);
    const moved = this.#moved.get(id);
    for (const name of WINDOWS) {
      const [last, next] = [before?.[name] ?? null, after[name]];
      if (last && next && isSameWindow(last, next)) {
        const tokens = served?.[name] ?? 0;
        this.#credits[name].credits += ((next.usedPercent - last.usedPercent) / 100) * creditsOfWindow(planType, name);
        this.#credits[name].tokens += tokens;
      } else if (moved) moved[name] = 0;
      if (served) served[name] = 0;
    }
  }

  /** Called when the recording has served tokens on an account. */
  onServed(id: AccountId, tokens: number): void {
    addTo(this.#sinceSample, id, tokens);
  }

  /** Called when the simulation serves other tokens on an account than the recording. @param tokens may be negative */
  move(id: AccountId, tokens: number, now: Instant): void {
    const added = this.#added.get(id);
    if (!added) {
      addTo(this.#moved, id, tokens);
      return;
    }
    for (const name of WINDOWS) {
      const used = added.used[name];
      if (used.resetAt !== null && now >= used.resetAt) Object.assign(used, { tokens: 0, base: 0, resetAt: null });
      used.resetAt ??= instant(now + added.planned[name].windowMinutes * 60_000);
      used.tokens += tokens;
    }
  }

  /** The usage of an account in the simulation. @param recorded as the account reported it; undefined for an added one */
  usageOf(
    { id, planType }: Pick<Account, 'id' | 'planType'>,
    recorded: AccountUsage | undefined,
    now: Instant,
  ): AccountUsage | undefined {
    const added = this.#added.get(id);
    if (added) return { sample: this.#sampleOf(added), observedAt: now, limited: undefined };
    const moved = this.#moved.get(id);
    if (!recorded?.sample || !moved || (moved.primary === 0 && moved.secondary === 0)) return recorded;
    const { primary, secondary, credits } = recorded.sample;
    const shifted = (name: WindowName, window: UsageWindow | null) =>
      window && {
        ...window,
        usedPercent: wholePercent(
          window.usedPercent + this.#percentOf(moved[name], name, creditsOfWindow(planType, name)),
        ),
      };
    const sample = { primary: shifted('primary', primary), secondary: shifted('secondary', secondary), credits };
    // The provider refused a request of an account that has served less in the simulation.
    const hasServedLess = moved.primary < 0 || moved.secondary < 0;
    return { ...recorded, sample, limited: hasServedLess ? undefined : recorded.limited };
  }

  #sampleOf({ planned, used }: AddedAccount): UsageSample {
    const windowOf = (name: WindowName): UsageWindow => ({
      usedPercent: wholePercent(used[name].base + this.#percentOf(used[name].tokens, name, planned[name].credits)),
      resetAt: used[name].resetAt,
      windowMinutes: planned[name].windowMinutes,
    });
    return { primary: windowOf('primary'), secondary: windowOf('secondary'), credits: null };
  }

  #percentOf(tokens: number, name: WindowName, size: number): number {
    const { credits, tokens: known } = this.#credits[name];
    return known === 0 || size === 0 ? 0 : (tokens * (credits / known) * 100) / size;
  }
}

/** The credits of a window of a plan; those of a usual plan when they are not known. */
export const creditsOfWindow = (planType: string, name: WindowName): number =>
  creditsOf(planType)[name] || DEFAULT_CREDITS[name];

/** The provider reports whole percents. */
const wholePercent = (percent: number): number => Math.max(0, Math.floor(percent + 1e-9));

function isSameWindow(last: UsageWindow, next: UsageWindow): boolean {
  if (next.usedPercent < last.usedPercent) return false;
  if (last.resetAt === null || next.resetAt === null) return last.resetAt === next.resetAt;
  return Math.abs(next.resetAt - last.resetAt) <= SAME_RESET_MS;
}

function addTo(amounts: Map<AccountId, PerWindow<number>>, id: AccountId, tokens: number): void {
  const known = amounts.get(id);
  if (!known) amounts.set(id, { primary: tokens, secondary: tokens });
  else for (const name of WINDOWS) known[name] += tokens;
}
