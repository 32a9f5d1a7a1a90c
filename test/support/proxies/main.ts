// A proxy program in a process of its own: `node main.ts '{"kind":"socks5","port":0}'`. Prints its address as a line of JSON.
import { type ProxyProgramOptions, startProxyProgram } from './proxyProgram.ts';

const { url, name } = await startProxyProgram(JSON.parse(process.argv[2] ?? '{}') as ProxyProgramOptions);
process.stdout.write(`${JSON.stringify({ url, name })}\n`);
