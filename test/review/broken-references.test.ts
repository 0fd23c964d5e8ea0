/** Rows whose reference has been broken since before a foreign key came (NOT VALID): an approval is one transaction, and fails as one would. */
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, parent int, v int);
INSERT INTO child VALUES (1, 7, 0), (2, 7, 0);
ALTER TABLE child ADD CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES parent NOT VALID;
`;
const once = ['UPDATE child SET v = 1 WHERE id = 1'];
const twice = ['UPDATE child SET v = 2 WHERE id = 2', 'UPDATE child SET v = 3 WHERE id = 2'];

suite('broken references', (test) => {
  test('are approved in a row that is changed once, and refused as PostgreSQL does in one that is changed twice', async () => {
    const { daemon, twin, database, stop } = await startProxied(schema);
    const approve = async (texts: readonly string[]) => {
      const id = await daemon.newSession({ reads: 'staged' });
      const answers = await runScript(daemon.clientUrl(id), texts.map(q));
      assert.is(answers.filter((answer) => answer === 'C UPDATE 1.').length, texts.length);
      await daemon.call('POST', `/sessions/${id}/propose`);
      const { status, body } = await daemon.call('POST', `/sessions/${id}/approve`);
      return [status, body.sqlstate];
    };
    try {
      assert.equal(await approve(once), [200, undefined]);
      assert.equal(await approve(twice), [409, '23503']);
      const direct = await runScript(twin.url, [q(`BEGIN; ${twice.join('; ')}; COMMIT`)]);
      assert.match(direct.join(), /C=23503 .* constraint "of_parent"/);
      const rows = await database.query<{ v: number }>('SELECT v FROM child ORDER BY id');
      assert.equal(
        rows.map(({ v }) => v),
        [1, 0],
      );
    } finally {
      await stop();
    }
  });
});
