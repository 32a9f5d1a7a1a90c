import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Child, start } from './child.ts';
import { ID_PLACEHOLDER, sampleResponse } from './response.ts';

/** The provider of a run. */
export interface Provider {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts nginx as the provider: it uses a fifth of the CPU time of Node, and both sides share two cores with it. Its responses
 * are chunked and have unique ids, like real ones.
 */
export async function startProvider(folder: string): Promise<Provider> {
  const port = await freePort();
  mkdirSync(join(folder, 'nginx'));
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, nginxConfig(port, join(folder, 'nginx')));
  const args = ['-c', config, '-p', folder, '-e', join(folder, 'nginx-error.log')];
  const child: Child = start('nginx', args, { PATH: `${process.env.PATH}:/usr/sbin` }, join(folder, 'nginx.log'));
  const url = `http://127.0.0.1:${port}`;
  await waitUntilResponding(`${url}/backend-api/wham/usage`);
  return { url, pid: child.pid, stop: () => child.stop() };
}

function nginxConfig(port: number, folder: string): string {
  const parts = sampleResponse().match(/[\s\S]{1,3000}/g) ?? [];
  return `
daemon off;
master_process off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
events { worker_connections 4096; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_timeout 1h;
  keepalive_requests 100000000;
  client_max_body_size 64m;
  # One read takes headers and body together; otherwise nginx discards a body in pieces of 4 kB.
  client_header_buffer_size 128k;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /backend-api/codex/responses {
      default_type text/event-stream;
      sub_filter_types text/event-stream;
      sub_filter_once off;
      sub_filter '${ID_PLACEHOLDER}' $request_id;
      ${parts.map((part, index) => `set $part${index} ${quoted(part)};`).join('\n      ')}
      return 200 "${parts.map((_, index) => `\${part${index}}`).join('')}";
    }
    location = /backend-api/wham/usage { default_type application/json; return 200 ${quoted(JSON.stringify(usage()))}; }
    location = /oauth/token { default_type application/json; return 401 '{"error":{"code":"invalid_grant"}}'; }
    location / { default_type application/json; return 404 '{"detail":"Not Found"}'; }
  }
}
`;
}

// nginx accepts no parameter longer than 4 kB, and `$` begins a variable; the response contains none.
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function usage(): object {
  const now = Math.floor(Date.now() / 1000);
  const window = (hours: number, used: number) => ({
    used_percent: used,
    limit_window_seconds: hours * 3600,
    reset_after_seconds: (hours * 3600) / 2,
    reset_at: now + (hours * 3600) / 2,
  });
  return {
    plan_type: 'pro',
    rate_limit: {
      allowed: true,
      limit_reached: false,
      primary_window: window(24, 12),
      secondary_window: window(168, 7),
    },
    credits: { has_credits: false, unlimited: false, balance: '0' },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function waitUntilResponding(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`no response from the provider at ${url}: is nginx installed?`);
}
