import { ChatShapes } from './chatShapes.ts';
import { KnownTexts } from './knownTexts.ts';

const MAX_BYTES = 8 * 1_048_576;
const MAX_KEYS = 10_000;

/**
 * What earlier chats had in common with new ones. These are prompts, too: they stay in memory, are bounded, are evicted by newer
 * ones and are never logged.
 */
export class ChatCache {
  readonly texts: KnownTexts;
  readonly shapes: ChatShapes;

  constructor(maxBytes: number = MAX_BYTES) {
    const part = maxBytes / 4;
    this.texts = new KnownTexts({
      maxBytes: 3 * part,
      maxEntryBytes: part / 2,
      maxKeys: MAX_KEYS,
      maxEntriesPerKey: 8,
    });
    this.shapes = new ChatShapes({ maxBytes: part, maxEntryBytes: part / 8, maxKeys: MAX_KEYS });
  }
}
