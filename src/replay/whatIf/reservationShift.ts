/**
 * What the simulated requests that are open reserve on limits beyond the recorded ones; negative when it is less. The recorded
 * reservations are in each admission, so that without a change nothing is added to them.
 */
export class ReservationShift {
  readonly #amounts = new Map<string, number>();

  on(subject: string, ruleId: number, window: number): number {
    return this.#amounts.get(nameOf(subject, ruleId, window)) ?? 0;
  }

  add({ subject, ruleId, window, amount }: ShiftedReservation): void {
    if (amount === 0) return;
    const name = nameOf(subject, ruleId, window);
    const sum = (this.#amounts.get(name) ?? 0) + amount;
    if (sum === 0) this.#amounts.delete(name);
    else this.#amounts.set(name, sum);
  }
}

export interface ShiftedReservation {
  /** Level and id of whose limit it is. */
  readonly subject: string;
  readonly ruleId: number;
  /** Index of the window in which the request was admitted. */
  readonly window: number;
  readonly amount: number;
}

const nameOf = (subject: string, ruleId: number, window: number): string => `${subject} ${ruleId} ${window}`;
