/**
 * The leaf entry of a position whose event is missing, and whose loss an operator has accepted (docs/decisions/0070-leaf-entries.md).
 * It has the place of the event, so that the index of a leaf is always its position - 1.
 */
export const missingEntryOf = (position: number): string => `{"missing":true,"position":${position}}`;

/** Whether a line is the leaf entry of a missing event at this position. */
export const isMissingEntry = (line: string, position: number): boolean => line === missingEntryOf(position);
