import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP's JSON has it, with its attributes as an object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 2 is a server, 3 a client. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number;
  readonly service: Readonly<Record<string, unknown>>;
}

export interface OtlpPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An OTLP receiver that keeps what it takes; it takes nothing while its status is not 200. */
export async function startOtlpReceiver(port = 0) {
  const receiver = {
    url: '',
    status: 200,
    /** Those that were taken. */
    posts: [] as OtlpPost[],
    /** How many came. */
    count: 0,
    /** The spans that were taken as JSON. */
    get spans(): ReceivedSpan[] {
      return receiver.posts.flatMap(({ body }) => spansIn(body.toString('utf8')));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.count++;
    const { url: path = '', headers } = request;
    if (receiver.status === 200) receiver.posts.push({ path, headers, body: Buffer.concat(chunks) });
    response.writeHead(receiver.status, { location: 'http://169.254.169.254/' }).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

/** @param json an export request in OTLP's JSON */
export function spansIn(json: string): ReceivedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: as the protocol says
  const { resourceSpans } = JSON.parse(json) as any;
  // biome-ignore lint/suspicious/noExplicitAny: as the protocol says
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as the protocol says
    scopeSpans.flatMap(({ spans }: any) => spans.map((span: any) => readSpan(span, resource.attributes))),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: as the protocol says
function readSpan(span: any, service: Attributes): ReceivedSpan {
  const { traceId, spanId, parentSpanId = '', traceState = '', name, kind } = span;
  return {
    ...{ traceId, spanId, parentSpanId, traceState, name, kind },
    startMs: Math.round(Number(span.startTimeUnixNano) / 1e6),
    endMs: Math.round(Number(span.endTimeUnixNano) / 1e6),
    attributes: readAttributes(span.attributes ?? []),
    status: span.status?.code ?? 0,
    service: readAttributes(service),
  };
}

/** Whole numbers are text in OTLP's JSON. */
const readAttributes = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { intValue, stringValue, doubleValue, boolValue } }) => [
      key,
      intValue === undefined ? (stringValue ?? doubleValue ?? boolValue) : Number(intValue),
    ]),
  );
