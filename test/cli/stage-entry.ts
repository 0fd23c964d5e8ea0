/** What bin/stage.js does, for sources that have not been built. Tells which packages were loaded, if a test wants to know. */
import { createRequire } from 'node:module';
import { main } from '../../src/cli/main.ts';

process.exitCode = await main(process);

if (process.env['STAGE_TEST_MODULES']) {
  const files = Object.keys(createRequire(import.meta.url).cache);
  const packages = files.map(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file,
  );
  const own = [...new Set(packages)].filter((name) => name !== 'tsx' && name !== 'esbuild');
  process.stderr.write(`${own.join(' ')}\n`);
}
