import {
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** One RPC on the server side. Messages are passed without their gRPC frame. */
export interface Call {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly messages: AsyncIterable<Buffer>;
  /** Aborted when the call has ended, by the client or by a fault. */
  readonly signal: AbortSignal;
  /** Resolves when more can be sent (HTTP/2 flow control). */
  send(...messages: Uint8Array[]): Promise<void>;
  end(status?: Status): void;
  /** Ends the HTTP/2 stream without a gRPC status, as a node does that is shutting down. */
  reset(): void;
}

/** How an RPC ends. `trailers` carry the details of an EventStoreDB error. */
export interface Status {
  readonly code: number;
  readonly message?: string;
  readonly trailers?: Readonly<Record<string, string>>;
}

export interface GrpcServer {
  readonly port: number;
  /** Cuts all connections and releases the port, as SIGKILL does. */
  kill(): Promise<void>;
  /** Closes all connections with GOAWAY and an error; new ones can be opened. */
  resetConnections(): void;
}

export interface GrpcServerOptions {
  readonly handle: (call: Call) => Promise<void>;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly tls?: TlsOptions | undefined;
}

export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  /** Authority of user certificates; without it clients need none. */
  readonly ca?: string;
}

/**
 * Serves gRPC over `node:http2`, so that a test controls every frame: gRPC libraries cannot end a stream without a
 * status, and clients have to survive exactly that.
 */
export async function startGrpcServer({ handle, port, tls }: GrpcServerOptions): Promise<GrpcServer> {
  const server = tls ? createSecureServer({ ...tls, requestCert: tls.ca !== undefined }) : createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const call = callOf(stream, headers);
    handle(call).catch((error: Error) => call.end({ code: 2, message: `Unexpected ${error.message}` }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async kill() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
    resetConnections() {
      for (const session of sessions) session.goaway(constants.NGHTTP2_INTERNAL_ERROR);
    },
  };
}

const FRAME_HEAD_BYTES = 5;

function callOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Call {
  const aborting = new AbortController();
  let trailers: Record<string, string> = {};
  let isEnded = false;
  stream.on('close', () => aborting.abort());
  stream.on('error', () => {});
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  const isOpen = () => !isEnded && !stream.destroyed && !stream.closed;
  const respond = () => {
    if (stream.headersSent) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
  };
  return {
    path: String(headers[':path']),
    headers,
    messages: unframed(stream),
    signal: aborting.signal,
    async send(...messages) {
      if (!isOpen()) return;
      respond();
      if (!stream.write(Buffer.concat(messages.map(framed)))) await drained(stream);
    },
    end({ code, message = '', trailers: more = {} } = { code: 0 }) {
      if (!isOpen()) return;
      isEnded = true;
      trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message), ...more };
      respond();
      stream.end();
    },
    reset() {
      isEnded = true;
      if (stream.destroyed) return;
      respond();
      stream.close(0);
    },
  };
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME_HEAD_BYTES);
  return frame;
}

async function* unframed(stream: ServerHttp2Stream): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  let neededBytes = FRAME_HEAD_BYTES;
  // A handler that stops reading the request still has to send its response.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    while (length >= neededBytes) {
      const received = Buffer.concat(chunks);
      const end = FRAME_HEAD_BYTES + received.readUInt32BE(1);
      const isComplete = length >= end;
      if (isComplete) yield received.subarray(FRAME_HEAD_BYTES, end);
      chunks = [isComplete ? received.subarray(end) : received];
      length = isComplete ? length - end : length;
      neededBytes = isComplete ? FRAME_HEAD_BYTES : end;
    }
  }
}

const drained = (stream: ServerHttp2Stream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
