// Plain JavaScript, so that a Node that is too old can still say so instead of stumbling over TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `svc needs Node 24.15 or later and this is ${process.versions.node}: run it by "npm start" after "npm ci" with install scripts allowed (they bring Node 24), or install Node 24.\n`,
  );
  process.exit(1);
}
// Types are stripped and code is compiled once, not at every start: that halves the time of a start.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
await import('./cli.ts');
