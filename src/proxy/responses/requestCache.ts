import { ValidatedValueCache } from '../requestBody/validatedValueCache.ts';
import { BodyTemplateCache } from './bodyTemplateCache.ts';
import { InputCache } from './inputCache.ts';

/** For all caches together: some 180 conversations of 300 kB, or many more shorter ones. */
const MAX_BYTES = 56 * 1_048_576;

const MAX_CONVERSATIONS = 10_000;

/**
 * Caches the validated parts of earlier requests, which need not be parsed again. They are prompts: they stay in memory,
 * are bounded, are evicted by newer ones and are never logged.
 */
export class RequestCache {
  /** Values that many conversations have in common, by member name. */
  readonly sharedValues: ValidatedValueCache;
  /** The other long values, by conversation. */
  readonly conversationValues: ValidatedValueCache;
  readonly inputs: InputCache;
  /** The bytes around all these values, by conversation. */
  readonly templates: BodyTemplateCache;

  constructor(maxBytes: number = MAX_BYTES) {
    const part = maxBytes / 8;
    const limits = { maxBytes: part, maxEntryBytes: part / 8, maxKeys: 64, maxEntriesPerKey: 8 };
    this.sharedValues = new ValidatedValueCache(limits);
    this.conversationValues = new ValidatedValueCache({ ...limits, maxKeys: MAX_CONVERSATIONS });
    this.inputs = new InputCache({
      maxBytes: 5.5 * part,
      maxEntryBytes: 2 * part,
      maxKeys: MAX_CONVERSATIONS,
      maxEntriesPerKey: 8,
    });
    this.templates = new BodyTemplateCache({
      maxBytes: part / 2,
      maxEntryBytes: part / 8,
      maxKeys: MAX_CONVERSATIONS,
      maxEntriesPerKey: 2,
    });
  }

  /** Size of all caches together, in bytes. */
  get size(): number {
    return this.sharedValues.size + this.conversationValues.size + this.inputs.size + this.templates.size;
  }
}
