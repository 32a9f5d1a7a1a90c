// Plain JavaScript, so that a Node that is too old prints this message instead of a syntax error in TypeScript.

/** Ends the process with a message if this Node is too old for svc. */
export function requireSupportedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 15)) return;
  process.stderr.write(
    `svc needs Node 24.15 or later, but this is ${process.versions.node}. Install Node 24, or start svc with "npm start" after "npm ci" with install scripts allowed, which downloads Node 24.\n`,
  );
  process.exit(1);
}
