import { z } from 'zod';

export const WebsocketNumbers = z.object({
  open: z.int(),
  busy: z.int().describe('Of those, with a response in progress'),
  by_key: z.array(z.object({ key_id: z.string().nullable(), sockets: z.int() })).describe('Open ones, most first'),
  by_account: z
    .array(z.object({ account_id: z.string().nullable(), sockets: z.int() }))
    .describe('Open ones by the account behind them, most first; null: no socket of the provider is open'),
  upgrades: z
    .array(z.object({ result: z.string().describe('`accepted`, or the code of the error'), count: z.int() }))
    .describe('Since the start'),
  closes: z.array(z.object({ reason: z.string(), count: z.int() })).describe('Since the start'),
});

/** The websockets of a process. */
export interface WebsocketStatus {
  readonly open: number;
  readonly busy: number;
  /** Open ones; null: without a key, or without a socket of the provider behind them. */
  readonly byKey: ReadonlyMap<string | null, number>;
  readonly byAccount: ReadonlyMap<string | null, number>;
  /** Since the start, by `accepted` or the code of the error. */
  readonly upgrades: ReadonlyMap<string, number>;
  readonly closes: ReadonlyMap<string, number>;
}

/** @returns the numbers as the API shows them */
export const websocketNumbers = ({
  open,
  busy,
  byKey,
  byAccount,
  upgrades,
  closes,
}: WebsocketStatus): z.infer<typeof WebsocketNumbers> => ({
  open,
  busy,
  by_key: mostFirst(byKey).map(([key_id, sockets]) => ({ key_id, sockets })),
  by_account: mostFirst(byAccount).map(([account_id, sockets]) => ({ account_id, sockets })),
  upgrades: mostFirst(upgrades).map(([result, count]) => ({ result, count })),
  closes: mostFirst(closes).map(([reason, count]) => ({ reason, count })),
});

const mostFirst = <Name>(counts: ReadonlyMap<Name, number>) => [...counts].sort((a, b) => b[1] - a[1]);
