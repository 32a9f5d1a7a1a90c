import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readCertificate } from './certificates.ts';
import type { ConnectionSettings, Host } from './connectionString.ts';

const PROBE_MS = 2_000;

/**
 * Finds out why no connection to a server can be made, which the client library does not say: it reports a server that
 * expects TLS, and a cluster none of whose nodes can be used, as "failed".
 * @returns what is wrong and what to do, in sentences; undefined when a connection can be made
 */
export async function explainConnection(settings: ConnectionSettings): Promise<string | undefined> {
  const reasons = await Promise.all(settings.hosts.map((host) => explainHost(host, settings)));
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

async function explainHost(host: Host, { tls, caFile }: ConnectionSettings): Promise<string | undefined> {
  const at = `${host.address}:${host.port}`;
  const reached = await reach(host);
  if (reached !== undefined) return unreachable(reached, at);
  if (!tls) {
    const isTls = (await handshake(host, { rejectUnauthorized: false })) === undefined;
    return isTls ? 'the server expects TLS. Remove tls=false from SVC_EVENTSTORE_URL.' : undefined;
  }
  const ca = caFile === undefined ? {} : { ca: readCertificate('tlsCAFile', caFile) };
  const error = await handshake(host, ca);
  return error && unusableTls(error, at);
}

function unreachable({ code, message }: NodeJS.ErrnoException, at: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${at}. Start the server, or correct SVC_EVENTSTORE_URL.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name in ${at} cannot be resolved. Check the DNS, or correct SVC_EVENTSTORE_URL.`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${at} does not respond. Check the network, its firewalls and SVC_EVENTSTORE_URL.`;
    default:
      return `no connection to ${at} (${message}). Check the server and SVC_EVENTSTORE_URL.`;
  }
}

function unusableTls({ code = '', message }: NodeJS.ErrnoException, at: string): string {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|RECORD_LAYER/.test(code) || code === 'ECONNRESET') {
    return 'the server does not use TLS. Add tls=false to SVC_EVENTSTORE_URL, or turn TLS on in the server.';
  }
  if (/SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED/.test(code)) {
    return 'no trusted authority signed the certificate of the server. Name the authority that signed it in tlsCAFile of SVC_EVENTSTORE_URL.';
  }
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${at} has expired. Renew it on the server.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `the certificate of the server is not made out to ${at}. Use a name that it contains in SVC_EVENTSTORE_URL.`;
  }
  return `TLS with ${at} fails (${message}). Check tls and tlsCAFile in SVC_EVENTSTORE_URL.`;
}

/** Opens a TCP connection. @returns the error; undefined when it opened */
const reach = (host: Host): Promise<NodeJS.ErrnoException | undefined> =>
  outcomeOf((onOpen) => connectPlain({ ...address(host), timeout: PROBE_MS }, onOpen));

/** Makes a TLS handshake. @returns the error; undefined when it succeeded */
const handshake = (
  host: Host,
  options: { readonly ca?: Buffer; readonly rejectUnauthorized?: boolean },
): Promise<NodeJS.ErrnoException | undefined> =>
  outcomeOf((onOpen) => {
    const { host: name, port } = address(host);
    const servername = isIP(name) === 0 ? { servername: name } : {};
    return connectTls(
      { host: name, port, timeout: PROBE_MS, ALPNProtocols: ['h2'], ...servername, ...options },
      onOpen,
    );
  });

const address = ({ address: host, port }: Host) => ({ host: host.replaceAll(/[[\]]/g, ''), port });

function outcomeOf(
  open: (onOpen: () => void) => ReturnType<typeof connectPlain>,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = open(() => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('error', resolve);
    socket.on('timeout', () => {
      resolve(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
      socket.destroy();
    });
    // A plain server may close the connection of a TLS handshake without a word.
    socket.on('close', () => resolve(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}
