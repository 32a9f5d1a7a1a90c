// A witness as https://c2sp.org/tlog-witness describes it. `node witness.ts STATE VKEY...` runs one in a process of its own.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyConsistency } from '../../../src/integrity/merkle/proofs.ts';
import { openCheckpoint } from '../../../src/integrity/notes/checkpoint.ts';
import { COSIGNATURE, parseVkey, signingKeyOf, verifierKey } from '../../../src/integrity/notes/noteKeys.ts';
import { cosignedMessage, formatSignature } from '../../../src/integrity/notes/signedNote.ts';

export interface Witness extends AsyncDisposable {
  readonly url: string;
  /** Of the type cosignature. */
  readonly vkey: string;
  /** Size and root of the newest checkpoint by origin. */
  readonly logs: Readonly<Record<string, Head>>;
  /** Status codes in order. */
  readonly statuses: readonly number[];
  /** Verifier keys of logs that it knows. */
  readonly trusted: string[];
  /** Makes it fail with a status, or not respond at all; undefined: as it should. */
  fail(how: number | 'silent' | undefined): void;
}

interface Head {
  readonly size: number;
  /** In base64. */
  readonly root: string;
}

export interface WitnessOptions {
  /** File of what it has seen; in memory when absent. */
  readonly state?: string;
  readonly trusted?: readonly string[];
  /** Signs with another key than its verifier key says. */
  readonly isImpostor?: boolean;
  readonly port?: number;
}

const NAME = 'witness.example/w1';
const key = signingKeyOf(Buffer.alloc(32, 77));

/** Verifier key of every witness of the tests. */
export const WITNESS_VKEY = verifierKey(NAME, key.publicKey, COSIGNATURE).vkey;

class Refused extends Error {
  readonly status: number;
  readonly size: number | undefined;
  constructor(status: number, size?: number) {
    super(`${status}`);
    this.status = status;
    this.size = size;
  }
}

export async function startWitness({
  state,
  trusted = [],
  isImpostor = false,
  port = 0,
}: WitnessOptions = {}): Promise<Witness> {
  const logs: Record<string, Head> = state === undefined ? {} : readState(state);
  const known = [...trusted];
  const statuses: number[] = [];
  let failure: number | 'silent' | undefined;
  const signer = isImpostor ? signingKeyOf(Buffer.alloc(32, 78)) : key;

  function addCheckpoint(body: string): string {
    const gap = body.indexOf('\n\n');
    if (gap < 0) throw new Refused(400);
    const [oldLine = '', ...lines] = body.slice(0, gap).split('\n');
    const [, digits] = /^old (0|[1-9]\d*)$/.exec(oldLine) ?? [];
    if (digits === undefined || lines.length > 63) throw new Refused(400);
    const old = Number(digits);
    const note = body.slice(gap + 2);
    const [origin = ''] = note.split('\n', 1);
    const keys = known.map(parseVkey).filter(({ name }) => name === origin);
    if (keys.length === 0) throw new Refused(404);
    const checkpoint = open(note, keys);
    if (old > checkpoint.size) throw new Refused(400);
    const head = logs[origin] ?? { size: 0, root: '' };
    if (old !== head.size) throw new Refused(409, head.size);
    const root = checkpoint.root.toString('base64');
    if (old === checkpoint.size && old > 0 && head.root !== root) throw new Refused(409, head.size);
    if (old === 0 && lines.length > 0) throw new Refused(422);
    try {
      const hashes = lines.map((line) => Buffer.from(line, 'base64'));
      if (old > 0) verifyConsistency(old, Buffer.from(head.root, 'base64'), checkpoint.size, checkpoint.root, hashes);
    } catch {
      throw new Refused(422);
    }
    logs[origin] = { size: checkpoint.size, root };
    if (state !== undefined) writeState(state, logs);
    const time = Math.floor(Date.now() / 1_000);
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(time));
    const signature = Buffer.concat([stamp, signer.sign(cosignedMessage(checkpoint.note.text, time))]);
    return formatSignature({ name: NAME, id: parseVkey(WITNESS_VKEY).id, signature });
  }

  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (failure === 'silent') return;
    const respond = (status: number, text: string, contentType = 'text/plain; charset=utf-8') => {
      statuses.push(status);
      response.writeHead(status, { 'content-type': contentType }).end(text);
    };
    if (failure !== undefined) respond(failure, 'failing');
    else if (request.method !== 'POST' || request.url !== '/w/add-checkpoint') respond(404, 'not found');
    else {
      try {
        respond(200, addCheckpoint(body));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.size === undefined) respond(error.status, 'refused');
        else respond(error.status, `${error.size}\n`, 'text/x.tlog.size');
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/w`,
    vkey: WITNESS_VKEY,
    logs,
    statuses,
    trusted: known,
    fail(how) {
      failure = how;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function open(note: string, keys: readonly ReturnType<typeof parseVkey>[]) {
  try {
    return openCheckpoint(note, keys);
  } catch {
    throw new Refused(403);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function readState(path: string): Record<string, Head> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Head>;
  } catch {
    return {};
  }
}

function writeState(path: string, logs: Readonly<Record<string, Head>>): void {
  writeFileSync(`${path}.new`, JSON.stringify(logs));
  renameSync(`${path}.new`, path);
}

if (import.meta.filename === process.argv[1]) {
  const [, , state, ...trusted] = process.argv;
  const { url } = await startWitness({ ...(state !== undefined && { state }), trusted });
  process.stdout.write(`${url}\n`);
}
