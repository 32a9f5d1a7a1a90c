import type { ModelPrice } from './prices.ts';

/** The day from which the built-in prices apply; `SVC_PRICES_FILE` overrides and extends them. */
export const BUILT_IN_SINCE = '2026-11-21';

const TIERS = { tiers: { priority: 2, flex: 0.5 } };
const LONG = { longContext: { aboveInputTokens: 272_000, inputFactor: 2, outputFactor: 1.5 } };

/** Change the day above together with any price (docs/provider.md#prices). */
export const builtInPrices: readonly ModelPrice[] = [
  { model: 'gpt-5*', input: 1.25, cachedInput: 0.125, output: 10, ...TIERS },
  { model: 'gpt-5.1*', input: 1.25, cachedInput: 0.125, output: 10, ...TIERS },
  { model: 'gpt-5.1-codex-mini*', input: 0.25, cachedInput: 0.025, output: 2 },
  { model: 'gpt-5.2*', input: 1.75, cachedInput: 0.175, output: 14, ...TIERS },
  { model: 'gpt-5.3*', input: 1.75, cachedInput: 0.175, output: 14, ...TIERS },
  { model: 'gpt-5.4*', input: 2.5, cachedInput: 0.25, output: 15, ...TIERS, ...LONG },
  { model: 'gpt-5.4-mini*', input: 0.75, cachedInput: 0.075, output: 4.5, ...TIERS },
  { model: 'gpt-5.4-nano*', input: 0.2, cachedInput: 0.02, output: 1.25, ...TIERS },
  { model: 'gpt-5.4-pro*', input: 30, cachedInput: 30, output: 180 },
  { model: 'gpt-5.5*', input: 5, cachedInput: 0.5, output: 30, tiers: { priority: 2.5, flex: 0.5 } },
  { model: 'gpt-5.5-pro*', input: 30, cachedInput: 30, output: 180 },
  { model: 'gpt-5.6-sol*', input: 5, cachedInput: 0.5, output: 30, ...TIERS, ...LONG },
  { model: 'gpt-5.6-terra*', input: 2, cachedInput: 0.2, output: 12, ...TIERS, ...LONG },
  { model: 'gpt-5.6-luna*', input: 0.2, cachedInput: 0.02, output: 1.2, ...TIERS, ...LONG },
];
