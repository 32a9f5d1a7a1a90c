import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

/** A file with a certificate or key, which SVC_EVENTSTORE_URL names, cannot be used. */
export class CertificateUnusable extends Error {
  override readonly name = 'CertificateUnusable';
  readonly code = 'CERTIFICATE_UNUSABLE';
}

/**
 * Reads a file in PEM format.
 * @param option the option of the connection string that names it
 * @throws CertificateUnusable with path, option and reason
 */
export function readCertificate(option: 'tlsCAFile' | 'userCertFile' | 'userKeyFile', path: string): Buffer {
  const kind = option === 'userKeyFile' ? 'private key' : 'certificate';
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = isAbsolute(path) ? '' : ` (looked for at ${resolve(path)})`;
    const reason = code === 'ENOENT' ? `does not exist${where}` : `cannot be read (${code})${where}`;
    throw new CertificateUnusable(`${path}, which ${option} in SVC_EVENTSTORE_URL names, ${reason}. Correct the path.`);
  }
  if (!content.includes(kind === 'certificate' ? '-----BEGIN CERTIFICATE-----' : 'PRIVATE KEY-----')) {
    throw new CertificateUnusable(
      `${path}, which ${option} in SVC_EVENTSTORE_URL names, contains no ${kind} in PEM format. Name another file.`,
    );
  }
  return content;
}
