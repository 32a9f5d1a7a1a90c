import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface PublicKeyFile {
  /**
   * Writes the key unless the file has it. undefined: there is no key yet.
   * @returns whether the file had this key before and lost it, so that it was written again
   * @throws the error of the file system
   */
  write(vkey: string | undefined): boolean;
}

/** Keeps `checkpoint.pub`: the verifier key of the log in text, for the people who check it (https://c2sp.org/signed-note#verifier-keys). */
export function publicKeyFile(path: string): PublicKeyFile {
  let written = read(path);
  return {
    write(vkey) {
      if (vkey === undefined || vkey === read(path)) return false;
      const isAgain = vkey === written;
      writeFileSync(`${path}.new`, `${vkey}\n`);
      renameSync(`${path}.new`, path);
      written = vkey;
      return isAgain;
    },
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
