import type { LimitRule } from './limitRule.ts';

// An event about limits holds them twice, before and after a change. These bounds keep it below 64 kB.

export const MAX_LIMITS = 100;
/** Of a model's name, counted as it is stored. */
export const MAX_MODEL_BYTES = 128;

/** Whether a model's name is short enough to be kept: every character of ASCII counts as one byte, except quotes and such. */
export const isModelKept = (model: string): boolean => storedBytes(model) <= MAX_MODEL_BYTES;

/** Length in JSON, where quotes, backslashes and control characters take several bytes, and in UTF-8. */
const storedBytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length - 2;

/**
 * Lists written before these bounds existed can be longer. As the previous value of a change they are shortened; nothing but
 * the sentence of the history reads them.
 */
export const shortenedRules = (rules: readonly LimitRule[]): LimitRule[] =>
  rules
    .slice(0, MAX_LIMITS)
    .map((rule) => (rule.modelFilter === null ? rule : { ...rule, modelFilter: shortenedModel(rule.modelFilter) }));

/** Six bytes are the most that one character takes. */
export const shortenedModel = (model: string): string =>
  isModelKept(model) ? model : model.slice(0, Math.floor(MAX_MODEL_BYTES / 6)).toWellFormed();
