import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { certificate } from '../certificate.ts';

/** Trusts the test certificate during the tests of a file, as `NODE_EXTRA_CA_CERTS` does from a start on. */
export function trustTestCertificate(): void {
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, certificate.cert]));
  afterAll(() => setDefaultCACertificates(before));
}
