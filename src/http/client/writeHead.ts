import { PlainResponse } from '../plain/plainResponse.ts';
import type { HeaderBlock } from '../wire/headers.ts';
import type { ClientResponse } from './clientRequest.ts';

/**
 * Writes the status and headers of a response.
 * @param shared headers that this response shares with others
 * @param own alternating lower-case names and values
 * @throws TypeError for a value with invalid characters
 */
export function writeHead(
  response: ClientResponse,
  status: number,
  shared: readonly HeaderBlock[],
  own: readonly string[],
): void {
  if (response instanceof PlainResponse) response.writeHead(status, own, shared);
  else response.writeHead(status, [...shared.flatMap(({ fields }) => fields), ...own]);
}
