/** A row of a list of the largest: its name leads to its requests. */
export interface TopRow {
  readonly id: string | null;
  readonly name: string;
  /** Absent where no filter finds the requests. */
  readonly href: string | undefined;
  /** Whether the name is a code. */
  readonly isCode?: boolean;
  /** Number of requests, beside another value. */
  readonly requests?: { readonly text: string; readonly exact: string };
  readonly value: string;
  /** Part of the total, 0 to 100. */
  readonly share: number;
  /** Accessible name of the share. */
  readonly shareLabel: string;
}

/** So many rows a list shows. */
export const TOP_ROWS = 5;

export const shareOf = (part: number, total: number): number => (total === 0 ? 0 : (part / total) * 100);
