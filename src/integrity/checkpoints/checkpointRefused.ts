/** Why no checkpoint may be signed; an operator has to do something about it. */
export class CheckpointRefused extends Error {
  override readonly name = 'CheckpointRefused';
  readonly code: RefusalCode;
  /** What happened, a sentence. */
  readonly reason: string;
  readonly remedy: string;

  constructor(code: RefusalCode, reason: string, remedy: string) {
    super(`${reason} ${remedy}`);
    this.code = code;
    this.reason = reason;
    this.remedy = remedy;
  }
}

export const REFUSAL_CODES = ['checkpoint_key_changed', 'checkpoint_log_changed', 'checkpoint_fork'] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** No checkpoint was signed, and none is needed or possible now: nothing is wrong. */
export class NotSigned extends Error {
  override readonly name = 'NotSigned';
}
