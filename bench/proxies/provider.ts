import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate } from '../../test/support/certificate.ts';
import { ID_PLACEHOLDER, sampleResponse } from '../throughput/response.ts';

// The provider of the bench, reached by TLS: the 8 kB response of `bench:throughput`. With the header `x-openai-close` it closes the
// connection afterwards. Run by main.ts as a separate process.

const template = sampleResponse();
let responses = 0;

createServer(certificate, (request, response) => {
  request.resume();
  if (request.url !== '/backend-api/codex/responses') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
    return;
  }
  const closing = request.headers['x-openai-close'] === undefined ? {} : { connection: 'close' };
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...closing });
    response.end(template.replaceAll(ID_PLACEHOLDER, String(++responses)));
  });
}).listen(0, '127.0.0.1', function (this: { address: () => unknown }) {
  process.stdout.write(`listening on https://localhost:${(this.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
