import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { OpenProxiedConnection } from './proxiedConnection.ts';

/** Agents for `got`. */
export interface ProxyAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

type OnCreated = (error: Error | null, stream: Duplex) => void;

/**
 * Creates agents whose connections come from an opener. Connections are not reused: the calls are rare, and tokens that work once
 * must not be sent on a connection that is being closed.
 */
export function createProxyAgents(open: OpenProxiedConnection): ProxyAgents {
  const createConnection = (_: unknown, onCreated?: OnCreated): undefined => {
    open().then(
      (socket) => onCreated?.(null, socket),
      (error) => onCreated?.(error, undefined as never),
    );
  };
  class Http extends HttpAgent {
    override createConnection = createConnection as never;
  }
  class Https extends HttpsAgent {
    override createConnection = createConnection as never;
  }
  return { http: new Http({ keepAlive: false }), https: new Https({ keepAlive: false }) };
}
