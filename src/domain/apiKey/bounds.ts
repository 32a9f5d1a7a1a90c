import { shortenedModel } from '../limits/bounds.ts';

/** An event about a key holds the list twice, before and after a change: this keeps it below 64 kB. */
export const MAX_ALLOWED_MODELS = 100;

/** As `shortenedRules`, for the models that a key may use. */
export const shortenedModels = (models: readonly string[] | null): string[] | null =>
  models === null ? null : models.slice(0, MAX_ALLOWED_MODELS).map(shortenedModel);

/** The provider has fewer. */
export const MAX_REGIONS = 20;
