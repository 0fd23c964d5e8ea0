/** Every guard is where the mutants expect it: a guard that they cannot remove is not shown to be needed. */
import { readFile } from 'node:fs/promises';
import { commitCheck, otherProtections } from '../attacks/without-protections.ts';
import { assert, suite } from '../helpers/suite.ts';
import { allMutants, markedGuards } from './all-mutants.ts';
import { findMarks } from './marked-guards.ts';
import { mistakesIn } from './type-mistakes.ts';

suite('guards', (test) => {
  test('are marked in the source, and no others are', async () => {
    const marked = [...(await findMarks()).keys()].sort();
    assert.equal(marked, markedGuards.map(({ name }) => name).sort());
  });

  test('stand once in their files, and are no more than what is left without them', async () => {
    const protections = [commitCheck, ...otherProtections].flatMap(({ name, edits }) =>
      edits.map((edit) => ({ name, edit })),
    );
    const mutants = (await allMutants()).map(({ guard, edit }) => ({ name: guard.name, edit }));
    for (const { name, edit } of [...mutants, ...protections]) {
      const { file, text, without } = edit;
      assert.is((await readFile(file, 'utf8')).split(text).length, 2, `${name}: ${file}`);
      assert.is.not(text, without, name);
    }
  });

  test(
    'leave nothing behind that names what is not there: it would fail for another reason',
    async () => {
      const edits = (await allMutants()).map(({ edit }) => edit);
      assert.equal(await mistakesIn(edits.filter(({ file }) => file.endsWith('.ts'))), []);
    },
    { timeout: 120_000 },
  );
});
