import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface PublicKeyFile {
  /** Writes the key that has signed, if it is another one than before. undefined: there is no key yet. @throws the error of the file system */
  write(vkey: string | undefined): void;
  /**
   * Writes the key again that the file had, if it was deleted or changed.
   * @returns whether it was
   * @throws the error of the file system
   */
  keep(): boolean;
}

/** Keeps `checkpoint.pub`: the verifier key of the log in text, for the people who check it (https://c2sp.org/signed-note#verifier-keys). */
export function publicKeyFile(path: string): PublicKeyFile {
  let written = read(path);
  const replace = (vkey: string): void => {
    writeFileSync(`${path}.new`, `${vkey}\n`);
    renameSync(`${path}.new`, path);
    written = vkey;
  };
  return {
    write(vkey) {
      if (vkey !== undefined && vkey !== written) replace(vkey);
    },
    keep() {
      if (written === undefined || read(path) === written) return false;
      replace(written);
      return true;
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
