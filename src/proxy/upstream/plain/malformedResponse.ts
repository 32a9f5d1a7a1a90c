/** The bytes are not an HTTP/1 response; the rest of the connection cannot be interpreted. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
  readonly code = 'EPROTO';
}

/** In place of a status line. */
export const notHttp = (): MalformedResponse => new MalformedResponse('the provider does not speak HTTP/1.1');
