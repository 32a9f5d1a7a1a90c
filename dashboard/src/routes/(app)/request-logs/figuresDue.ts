/** Share of the time that the service may spend on the figures of one open page. */
const MAX_SHARE = 0.05;

/**
 * Whether the figures of a filter are asked for again. Most filters are answered from sums; two of them may read all rows of the range.
 * @param tookMs how long the last answer took
 * @param ageMs time since it came
 */
export const areFiguresDue = (tookMs: number, ageMs: number): boolean => tookMs <= ageMs * MAX_SHARE;
