/** Loaded ahead of the program: has it tell at its end, on stderr, which packages it loaded. */
import { createRequire } from 'node:module';

const { cache } = createRequire(import.meta.url);

process.on('exit', () => {
  const packages = Object.keys(cache).map(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file,
  );
  process.stderr.write(`${[...new Set(packages)].join(' ')}\n`);
});
