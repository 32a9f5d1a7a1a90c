import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { vi } from 'vitest';
import type { ServiceProcess } from './serve.ts';

/** Copies a data folder at one instant, as a power cut would leave it: the service is stopped by SIGSTOP meanwhile. */
export async function copyDataFolder(service: ServiceProcess, folder: string, to: string): Promise<void> {
  service.signal('SIGSTOP');
  const state = () => execFileSync('ps', ['-o', 'stat=', '-p', String(service.pid)], { encoding: 'utf8' });
  await vi.waitUntil(() => state().startsWith('T'), { timeout: 5_000, interval: 5 });
  cpSync(folder, to, { recursive: true });
  service.signal('SIGCONT');
}
