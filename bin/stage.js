#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(`stage needs Node.js 20.18 or newer, this is ${process.versions.node}\n`);
  process.exit(1);
}
// React's development build, which is the default, costs twice the time and memory.
const { env } = process;
env.NODE_ENV ??= 'production';
const { main } = await import('../dist/cli/main.js');
process.exitCode = await main(process);
