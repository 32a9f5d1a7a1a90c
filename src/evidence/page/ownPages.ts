import { hash as digest } from 'node:crypto';
import { readFileSync } from 'node:fs';

const PAGE = new URL('./verify.html', import.meta.url);

/** The page that auditors open in a browser: built by `npm run build:verifier` and kept with the sources. */
export const readVerifierPage = (): Buffer => readFileSync(PAGE);

/** SHA-256 of the page, 64 hex digits. */
export const ownVerifierDigest = (): string => digest('sha256', readVerifierPage(), 'hex');

/** What stands in every bundle for the people who get it. */
export const ownReadme = `EVIDENCE FROM THE EVENT LOG OF svc

This ZIP file proves that events were recorded, in which order, and by when, to a person who does not trust the machine.

To verify it, use one of these. Both work without a network:
- verify.html: open it in a browser and drop this ZIP file on it. If you do not trust who gave you the file, take the page
  from a copy that you trust, not from this file.
- svc verify FILE, with --public-key KEY for a key of the log that you have from elsewhere.

Both name the key that has signed. Without a key that you have from elsewhere, anybody may have signed: compare the key, or
its fingerprint, with one that the operator of the log has published before.

manifest.json      which events were asked for, versions, the key of the log, and the SHA-256 of every other entry
events/            the events: JSON Lines, each one in CloudEvents 1.0 and the canonical form of RFC 8785
proofs/            the hashes of all other leaves of the Merkle tree (RFC 6962), as subtrees: with the events they lead to its root
checkpoints/       signed roots of the tree (C2SP tlog-checkpoint)
consistency.jsonl  that each checkpoint continues the one before it (RFC 6962)
keys/              changes of the log's key, signed by the old and the new one

The last 64 characters of the file are the SHA-256 of everything before them: head -c -64 FILE | sha256sum
Fields that svc never shows are left out. An event says "digest" then: that it was recorded is proved by its digests, what
is shown of it is not. The format is described in docs/integrity.md of svc.
`;
