import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Keeps `checkpoint.pub`: the verifier key of the log in text, for the people who check it (https://c2sp.org/signed-note#verifier-keys). */
export function publicKeyFile(path: string): { write(vkey: string | undefined): void } {
  let written = read(path);
  return {
    write(vkey) {
      if (vkey === undefined || vkey === written) return;
      writeFileSync(`${path}.new`, `${vkey}\n`);
      renameSync(`${path}.new`, path);
      written = vkey;
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
