/** Older answers are forgotten, so that the estimate follows what clients do now. */
export const MAX_ANSWERS = 64;
/** With fewer answers, their lengths may raise an estimate and not lower it. */
const MIN_ANSWERS = 10;
/** Expected of an answer when nothing is known. */
export const DEFAULT_OUTPUT_TOKENS = 2_048;
/** Longer lengths are stored as this one. */
const MAX_TOKENS = 0xffff_ffff;

/** The output tokens of the last answers, reasoning included. Mutable, because every answer changes it. */
export class AnswerLengths {
  /** A ring once it is full: `#next` is then the oldest entry. */
  readonly #tokens: number[] = [];
  #next = 0;
  #sum = 0;
  /** Computed when it is needed: many answers are folded for each one that is asked for. */
  #expected: number | undefined;

  get count(): number {
    return this.#tokens.length;
  }

  add(outputTokens: number): void {
    const tokens = Math.min(outputTokens, MAX_TOKENS);
    this.#sum += tokens;
    this.#expected = undefined;
    if (this.#tokens.length < MAX_ANSWERS) {
      this.#tokens.push(tokens);
      return;
    }
    this.#sum -= this.#tokens[this.#next] as number;
    this.#tokens[this.#next] = tokens;
    this.#next = (this.#next + 1) % MAX_ANSWERS;
  }

  /**
   * The length to reserve for the next answer: nine of ten were not longer. The mean is higher where a few answers are very
   * long, and the sum of many answers follows the mean (docs/decisions/0024-limits-and-reservations.md).
   */
  get expected(): number {
    this.#expected ??= Math.max(this.#ninthDecile(), Math.ceil(this.#sum / Math.max(1, this.count)));
    return this.#expected;
  }

  /** Oldest first. */
  toArray(): number[] {
    return [...this.#tokens.slice(this.#next), ...this.#tokens.slice(0, this.#next)];
  }

  #ninthDecile(): number {
    return nthLargest(this.#tokens, this.count - Math.ceil(this.count * 0.9) + 1);
  }
}

/** The `n`th largest number, for a small `n`: several times faster than sorting, and each admission needs one. */
function nthLargest(numbers: readonly number[], n: number): number {
  /** The largest ones so far, ascending. */
  const largest = new Array<number>(n).fill(0);
  for (const number of numbers) {
    if (number <= (largest[0] as number)) continue;
    let at = 1;
    for (; at < n && (largest[at] as number) < number; at++) largest[at - 1] = largest[at] as number;
    largest[at - 1] = number;
  }
  return largest[0] ?? 0;
}

/** Where an estimate comes from: answers of this key with this model, answers with this model, or neither. */
export type EstimateSource = 'key' | 'model' | 'default';

export interface ExpectedOutput {
  readonly outputTokens: number;
  readonly source: EstimateSource;
}

const NO_HISTORY: ExpectedOutput = { outputTokens: DEFAULT_OUTPUT_TOKENS, source: 'default' };

/** The output to expect of a request. @param ofKey answers of its key with its model @param ofModel of all keys with its model */
export const expectedOutput = (ofKey: AnswerLengths | undefined, ofModel: AnswerLengths | undefined): ExpectedOutput =>
  refined(refined(NO_HISTORY, ofModel, 'model'), ofKey, 'key');

function refined(general: ExpectedOutput, lengths: AnswerLengths | undefined, source: EstimateSource): ExpectedOutput {
  if (!lengths) return general;
  const isEnough = lengths.count >= MIN_ANSWERS || lengths.expected >= general.outputTokens;
  return isEnough ? { outputTokens: lengths.expected, source } : general;
}

/**
 * Whether an answer that was cut off tells something about the length of answers: only that it would have been longer, so
 * only when it is longer than expected.
 */
export const exceedsExpected = (lengths: AnswerLengths | undefined, outputTokens: number): boolean =>
  outputTokens > expectedOutput(lengths, undefined).outputTokens;
