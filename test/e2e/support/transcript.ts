import type { Provider } from '../../support/provider/provider.ts';
import type { RecordedRequest, RecordingProxy } from './recordingProxy.ts';
import type { Service } from './service.ts';

/** The recorded requests and responses, shortened, printed when a test fails. */
export const transcript = ({
  proxy,
  provider,
  service,
}: {
  proxy: RecordingProxy;
  provider: Provider;
  service: Service;
}): string =>
  [
    '--- the client sent',
    ...proxy.requests.map(asText),
    '--- the service responded',
    proxy.responses().slice(-16_000),
    '--- the provider received',
    ...provider.received.map(({ method, path, status, script, aborted, json }) =>
      JSON.stringify({ method, path, status, script, aborted, json }).slice(0, 2_000),
    ),
    '--- the output of the service',
    service.output(),
  ].join('\n');

function asText({ method, path, headers, body }: RecordedRequest): string {
  const encoding = headers['content-encoding'];
  const text = encoding === undefined ? body.toString().slice(0, 2_000) : `${body.length} bytes of ${encoding}`;
  return `${method} ${path}\n${JSON.stringify(headers, null, 2)}\n${text}\n`;
}
