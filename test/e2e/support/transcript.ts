import type { Provider } from '../../support/provider/provider.ts';
import type { Service } from './service.ts';
import type { SentRequest, Wire } from './wire.ts';

/** What everybody said, shortened, for a test that failed. */
export const transcript = ({ wire, provider, service }: { wire: Wire; provider: Provider; service: Service }): string =>
  [
    '--- the client sent',
    ...wire.sent.map(asText),
    '--- the service answered',
    wire.answers().slice(-16_000),
    '--- the provider got',
    ...provider.received.map(({ method, path, status, script, aborted, json }) =>
      JSON.stringify({ method, path, status, script, aborted, json }).slice(0, 2_000),
    ),
    '--- the service said',
    service.output(),
  ].join('\n');

function asText({ method, path, headers, body }: SentRequest): string {
  const encoding = headers['content-encoding'];
  const text = encoding === undefined ? body.toString().slice(0, 2_000) : `${body.length} bytes of ${encoding}`;
  return `${method} ${path}\n${JSON.stringify(headers, null, 2)}\n${text}\n`;
}
