const SLOTS = 4_096;
/** The texts are told apart by their ends: before them, most keys, accounts and actors are the same. */
const ENDING = 8;

/** Texts that were seen before. One for each slot, because looking one up in a set would hash all of it. */
export class RecentTexts {
  readonly #texts: (string | undefined)[] = new Array(SLOTS);

  has(text: string): boolean {
    return this.#texts[slotOf(text)] === text;
  }

  /** Adds a text in the place of the one in its slot. */
  add(text: string): void {
    // A copy, because a slice of an event's JSON would keep all of that in memory.
    this.#texts[slotOf(text)] = JSON.parse(JSON.stringify(text)) as string;
  }
}

function slotOf(text: string): number {
  let slot = text.length;
  for (let at = Math.max(0, text.length - ENDING); at < text.length; at += 1) {
    slot = (slot * 31 + text.charCodeAt(at)) | 0;
  }
  return slot & (SLOTS - 1);
}
