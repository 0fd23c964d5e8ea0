/** Files that are generated from definitions in the code: `npm run docs` writes them, and tests check that they are current. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert } from './suite.ts';

/** Compares a file with its expected content; in `npm run docs`, writes it. */
export function checkGenerated(file: string, expected: string): void {
  if (process.env['STAGE_TEST_WRITE']) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, expected);
  }
  assert.snapshot(readFileSync(file, 'utf8'), expected);
}

/** Does the same for the part of a document between `<!-- name:start -->` and `<!-- name:end -->`. */
export function checkGeneratedPart(file: string, name: string, expected: string): void {
  const text = readFileSync(file, 'utf8');
  const [before, after] = [`<!-- ${name}:start -->\n`, `<!-- ${name}:end -->`];
  const [start, end] = [text.indexOf(before) + before.length, text.indexOf(after)];
  assert.ok(start >= before.length && end >= start, `the marks of ${name} in ${file}`);
  checkGenerated(file, text.slice(0, start) + expected + text.slice(end));
}
