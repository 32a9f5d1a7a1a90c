import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** How tests run a server of `docker-compose.yml`. */
export interface ContainerOptions {
  readonly port: number;
  /** Added to the environment in the compose file. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  /** The line of output that reports readiness. */
  readonly readyLine?: RegExp;
  /** The path that responds with 2xx or 3xx when the server is ready. */
  readonly healthPath?: string;
}

export interface RunningContainer {
  /** The host and port under which this process reaches the server. */
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | number>>;
}

const START_MS = 120_000;

/**
 * Starts the image that `docker-compose.yml` pins for a service, so that tests run against the deployed version. The container
 * ends with this process, even when it is killed.
 * @returns undefined when no container engine responds or the file has no such service
 */
export async function startContainer(
  service: string,
  options: ContainerOptions,
): Promise<RunningContainer | undefined> {
  const composed = composeService(service);
  if (!composed) return undefined;
  // Loading takes a second, so only runs without a server of their own import it.
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  if (!(await getContainerRuntimeClient().catch(() => undefined))) return undefined;
  const { port, environment, command, readyLine, healthPath } = options;
  const settings = Object.entries({ ...composed.environment, ...environment });
  const container = new GenericContainer(composed.image)
    .withExposedPorts(port)
    .withEnvironment(Object.fromEntries(settings.map(([name, value]) => [name, String(value)])))
    .withStartupTimeout(START_MS);
  if (command) container.withCommand([...command]);
  if (readyLine) container.withWaitStrategy(Wait.forLogMessage(readyLine));
  if (healthPath)
    container.withWaitStrategy(Wait.forHttp(healthPath, port).forStatusCodeMatching((code) => code < 400));
  const started = await container.start();
  return {
    host: started.getHost(),
    port: started.getMappedPort(port),
    stop: async () => void (await started.stop()),
  };
}

/** A service of the compose file. The format allows lists for the environment; our file uses maps. */
export function composeService(name: string): ComposeService | undefined {
  const file = new URL('../../docker-compose.yml', import.meta.url);
  const { services } = parse(readFileSync(file, 'utf8')) as { services: Record<string, ComposeService> };
  return services[name];
}
