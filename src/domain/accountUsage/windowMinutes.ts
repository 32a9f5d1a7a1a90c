import type { UsageWindow } from './events.ts';

export type WindowName = 'primary' | 'secondary';

/** Length of a window in minutes if the provider does not report it (docs/decisions/0036-usage-periods.md). */
export const WINDOW_MINUTES = { primary: 1_440, secondary: 10_080 } as const satisfies Record<WindowName, number>;

/** The length in minutes on which all windows with a known length agree, else the default. */
export function commonMinutes(windows: Iterable<UsageWindow | null | undefined>, name: WindowName): number {
  const lengths = new Set<number>();
  for (const window of windows) if (window?.windowMinutes) lengths.add(window.windowMinutes);
  const [only, another] = lengths;
  return only !== undefined && another === undefined ? only : WINDOW_MINUTES[name];
}
