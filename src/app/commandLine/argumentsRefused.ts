/** A command does not take its arguments. The message is a sentence that names the one that is wrong, or missing. */
export class ArgumentsRefused extends Error {
  override readonly name = 'ArgumentsRefused';
}

export function refuseArguments(reason: string): never {
  throw new ArgumentsRefused(reason);
}

/** A word of a command line, without anything that a terminal would obey. */
export const shown = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));
