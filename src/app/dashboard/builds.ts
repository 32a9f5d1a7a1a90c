import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The builds of the dashboard that this installation has, and where another one can be made. */
export interface DashboardBuilds {
  /** The build of the present sources; undefined when there is none. */
  current(): string | undefined;
  /** The first build, whatever its sources. */
  any(): string | undefined;
  /** Names a build; changes when another one takes its place. Undefined when there is none. */
  stampOf(build: string): string | undefined;
  /** How another one can be made; undefined in an image, which has no sources. */
  readonly maker: DashboardMaker | undefined;
}

export interface DashboardMaker {
  /** The program that builds it. */
  readonly program: string;
  /** The folder in which it is built. */
  into(): string;
  /** Packages that are needed and not installed. */
  missingPackages(): readonly string[];
}

export interface DashboardBuildsOptions {
  /** The folder `dashboard` of the checkout or image. */
  readonly dashboard: string;
  /** The folder for a build when this user may not write to the checkout. */
  readonly privateFolder: string;
}

export const DASHBOARD = fileURLToPath(new URL('../../../dashboard', import.meta.url));

/** Looks for builds beside the sources, and in the data folder of a user who may not write there. */
export async function findDashboardBuilds({
  dashboard,
  privateFolder,
}: DashboardBuildsOptions): Promise<DashboardBuilds> {
  const builds = [join(dashboard, 'build'), join(privateFolder, 'build')];
  const any = () => builds.find((build) => existsSync(join(build, 'index.html')));
  const script = join(dashboard, 'scripts/sources.ts');
  if (!existsSync(script) || !existsSync(join(dashboard, 'src'))) {
    return { current: any, any, stampOf: (build) => (any() === build ? build : undefined), maker: undefined };
  }
  const { stampOfBuild, stampOfSources, missingPackages } = (await import(
    pathToFileURL(script).href
  )) as typeof import('../../../dashboard/scripts/sources.ts');
  const stamp = stampOfSources();
  return {
    current: () => builds.find((build) => stampOfBuild(build) === stamp),
    any: () => builds.find((build) => stampOfBuild(build) !== undefined),
    stampOf: stampOfBuild,
    maker: {
      program: join(dashboard, 'scripts/build.mjs'),
      into: () => (isWritable(dashboard) && isWritable(join(dashboard, 'build')) ? dashboard : privateFolder),
      missingPackages,
    },
  };
}

/** Whether this user may write to a folder, or there is none. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
