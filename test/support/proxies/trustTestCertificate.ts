import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certificate } from '../certificate.ts';

/** Trusts the test certificate in this process, as `NODE_EXTRA_CA_CERTS` does at a start. */
export const trustTestCertificate = (): void =>
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
