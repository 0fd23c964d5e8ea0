/** Inheritance trees: statements on parents and children get PostgreSQL's responses, and approval leaves the same rows in each table. */
import { assertAlike } from '../helpers/alike.ts';
import { runStories } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { suite } from '../helpers/suite.ts';
import { data, done, q, run, s } from '../helpers/wire-script.ts';

const { schema, stories } = await readStories('proxy/inheritance.sql');

suite('inheritance', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  runStories(test, () => proxied, stories);

  test('the approval, after simple and extended statements and COPY', async () => {
    await assertAlike(proxied, [
      run('UPDATE city SET pop = pop + $1 WHERE id = $2 RETURNING id, pop', '1', '21'),
      s,
      run('UPDATE city SET pop = pop + $1 WHERE id > $2', '1', '2'),
      s,
      run('DELETE FROM city WHERE name = $1', 'two'),
      s,
      q('COPY city (id, name, pop) FROM STDIN'),
      data('50\tcopied\t1\n'),
      done,
      q('COPY capital (id, name, country) FROM STDIN'),
      data('51\tcopied\tq\n'),
      done,
      q('COPY city TO STDOUT'),
      q(`PREPARE change AS UPDATE bare SET b = $1 WHERE a = $2; EXECUTE change('p', 1)`),
      q(`BEGIN; DELETE FROM port; SAVEPOINT a; DELETE FROM city; ROLLBACK TO a; COMMIT`),
      q('UPDATE city SET id = id + 200 WHERE id = 1'),
      q(
        `DELETE FROM bare WHERE a IS NULL; INSERT INTO bare_child VALUES (7, 'new', 7); UPDATE bare SET a = 8 WHERE a = 7`,
      ),
    ]);
  });
});
