// A proxy program in a process of its own: `node main.ts '{"kind":"socks5","port":0}'`. Prints its address as a line of JSON.
import net from 'node:net';
import { type ProxyProgramOptions, startProxyProgram } from './proxyProgram.ts';

// proxy-chain leaves Nagle's algorithm on, which would hold the second record of a request back for 40 ms.
const { createConnection } = net;
net.createConnection = ((...args: Parameters<typeof createConnection>) =>
  createConnection(...args).setNoDelay()) as typeof createConnection;

const { url, name } = await startProxyProgram(JSON.parse(process.argv[2] ?? '{}') as ProxyProgramOptions);
process.stdout.write(`${JSON.stringify({ url, name })}\n`);
