import { PlainResponse } from '../plain/plainResponse.ts';
import type { HeaderBlock } from '../wire/headerBlock.ts';
import type { ClientResponse } from './client.ts';

/**
 * Begins an answer.
 * @param shared what it has in common with others
 * @param own names in lower case and values in turn
 * @throws TypeError when a value is not fit for a head
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
