#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(`stage needs Node.js 20.18 or newer, this is ${process.versions.node}\n`);
  process.exit(1);
}
const { main } = await import('../dist/cli/main.js');
process.exitCode = await main(process);
