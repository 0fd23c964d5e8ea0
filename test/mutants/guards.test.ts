/** Every guard still stands where the mutants look for it: what they cannot take away they cannot show to be needed. */
import { readFile } from 'node:fs/promises';
import { assert, suite } from '../helpers/suite.ts';
import { guards } from './all-guards.ts';

suite('guards', (test) => {
  test('stand once in their files', async () => {
    for (const { name, file, text } of guards) {
      assert.is((await readFile(file, 'utf8')).split(text).length, 2, `${name}: ${file}`);
    }
  });
});
