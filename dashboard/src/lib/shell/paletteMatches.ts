interface Named {
  readonly name: string;
  readonly keywords?: readonly string[];
}

interface Group<Choice extends Named> {
  readonly name: string;
  readonly choices: readonly Choice[];
}

/** The choices that have every typed word in their name or keywords, the best of them first; groups by their best choice. */
export function matchingGroups<Choice extends Named>(groups: readonly Group<Choice>[], typed: string): Group<Choice>[] {
  const text = typed.trim().toLowerCase();
  return groups
    .map(({ name, choices }) => {
      const ranked = choices
        .map((choice) => ({ choice, rank: rankOf(choice, text) }))
        .filter(({ rank }) => rank < NO_MATCH)
        .toSorted((a, b) => a.rank - b.rank);
      return { best: ranked[0]?.rank ?? NO_MATCH, group: { name, choices: ranked.map(({ choice }) => choice) } };
    })
    .filter(({ best }) => best < NO_MATCH)
    .toSorted((a, b) => a.best - b.best)
    .map(({ group }) => group);
}

const NO_MATCH = 4;

function rankOf({ name, keywords = [] }: Named, text: string): number {
  const texts = [name, ...keywords].map((each) => each.toLowerCase());
  const words = text.split(/\s+/);
  if (!words.every((word) => texts.some((each) => each.includes(word)))) return NO_MATCH;
  if (texts[0]?.startsWith(text)) return 0;
  if (texts.some((each) => each.startsWith(text))) return 1;
  const starts = texts.flatMap((each) => each.split(/[^\p{L}\p{N}]+/u));
  return words.every((word) => starts.some((start) => start.startsWith(word))) ? 2 : 3;
}
