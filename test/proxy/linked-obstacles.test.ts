/** A table to which writes cannot be staged is refused where a statement meets its rows, and leaves the tables beside it alone. */

import { outcomeOf } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/** What keeps writes to a table `x` from being staged, after its columns, and what the error names. */
const obstacles: Record<
  string,
  { readonly columns?: string; readonly after?: string; readonly error: string }
> = {
  ruled: {
    after: 'CREATE RULE never AS ON DELETE TO ruled DO ALSO NOTHING',
    error: 'has rules',
  },
  checked: { columns: ', CHECK (tableoid > 0)', error: 'has a check over a system column' },
  generated: {
    columns: ', own bool GENERATED ALWAYS AS (tableoid > 0) STORED',
    error: 'has a generated column over a system column',
  },
  whole: {
    columns: ', CHECK (num_nulls(whole) = 0)',
    error: 'has a check over the row as a whole',
  },
  indexed: {
    after: `CREATE FUNCTION all_of(indexed) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1::text';
      CREATE UNIQUE INDEX ON indexed (all_of(indexed.*))`,
    error: 'has a unique index or an exclusion constraint over the row as a whole',
  },
  quoted: { columns: ", d text DEFAULT '$body$'", error: 'has $body$ in its definition' },
};

/** Each table x refers to owner_x, and is referred to by part_x and kept_x. */
const tables = Object.entries(obstacles).map(
  ([name, { columns = '', after = '' }]) => `
CREATE TABLE owner_${name} (id int PRIMARY KEY, v int);
CREATE TABLE ${name} (id int PRIMARY KEY, owner int REFERENCES owner_${name} ON DELETE CASCADE ON UPDATE CASCADE${columns});
CREATE TABLE kept_${name} (id int PRIMARY KEY, x int REFERENCES ${name}, n int CHECK (n > 0));
CREATE TABLE part_${name} (id int PRIMARY KEY, x int NOT NULL REFERENCES ${name} ON DELETE CASCADE);
INSERT INTO owner_${name} VALUES (1, 1), (2, 2), (3, 3); INSERT INTO ${name} (id, owner) VALUES (1, 1), (4, NULL);
INSERT INTO kept_${name} VALUES (1, 1, 1); INSERT INTO part_${name} VALUES (1, 1);
${after};`,
);

const schema = `${tables.join('')}
CREATE VIEW of_ruled AS SELECT id, owner FROM ruled;
CREATE FUNCTION add_ruled() RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ruled VALUES (9, 2); END $$;
CREATE TABLE master (id int PRIMARY KEY, v int); CREATE TABLE kept (id int PRIMARY KEY, m int REFERENCES master ON DELETE CASCADE ON UPDATE SET NULL);
INSERT INTO master VALUES (1, 1); CREATE RULE never AS ON DELETE TO kept DO INSTEAD NOTHING;
CREATE TABLE trunk (id int PRIMARY KEY, v int); CREATE TABLE twig (PRIMARY KEY (id)) INHERITS (trunk);
INSERT INTO trunk VALUES (1, 1), (2, 2); INSERT INTO twig VALUES (5, 5);
CREATE RULE never AS ON DELETE TO twig DO INSTEAD NOTHING;
CREATE TABLE stem (id int PRIMARY KEY, n int DEFAULT 7 CHECK (n > 0)); CREATE TABLE shoot (PRIMARY KEY (id)) INHERITS (stem);
INSERT INTO stem VALUES (1, 1); INSERT INTO shoot VALUES (2, 2); CREATE RULE never AS ON DELETE TO stem DO INSTEAD NOTHING;
CREATE VIEW stems AS SELECT * FROM stem;
CREATE TABLE sometimes (id int PRIMARY KEY); CREATE TABLE under (id int PRIMARY KEY, s int REFERENCES sometimes);
INSERT INTO sometimes VALUES (1);
CREATE TABLE later (id int PRIMARY KEY); INSERT INTO later VALUES (1);
CREATE TABLE noted (id int PRIMARY KEY, s int REFERENCES ruled); CREATE TABLE noting (id int PRIMARY KEY);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO noted VALUES (NEW.id, 1); RETURN NULL; END $$;
CREATE TRIGGER note AFTER INSERT ON noting FOR EACH ROW EXECUTE FUNCTION note();
`;

/** What is staged beside a table x as PostgreSQL does it. */
const besides = (name: string) => [
  `SELECT * FROM ${name}`,
  `INSERT INTO owner_${name} VALUES (7, 7) RETURNING *`,
  `UPDATE owner_${name} SET v = v + 1`,
  `DELETE FROM owner_${name} WHERE id = 2`,
  `UPDATE owner_${name} SET id = 30 WHERE id = 3`,
  `INSERT INTO kept_${name} VALUES (2, 4, 1), (3, NULL, 2)`,
  `INSERT INTO kept_${name} VALUES (4, 5, 1)`,
  `UPDATE kept_${name} SET x = 4 WHERE id = 1`,
  `UPDATE kept_${name} SET x = 6 WHERE id = 1`,
  `INSERT INTO part_${name} VALUES (2, 4) ON CONFLICT (id) DO UPDATE SET x = 4`,
  `DELETE FROM part_${name}`,
  `SELECT k.id, k.n, x.owner FROM kept_${name} k LEFT JOIN ${name} x ON x.id = k.x`,
  `SELECT owner, count(*) FROM ${name} GROUP BY owner`,
];

suite('a table that cannot be staged, and the tables beside it', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const refusal = async (url: string, text: string) => {
    const client = await proxied.connect(url);
    const { code, message, hint } = (await rejects(client.query(text))) as Error & {
      code?: string;
      hint?: string;
    };
    return { code, message, hint };
  };

  for (const [name, { error }] of Object.entries(obstacles)) {
    test(`${name}: refuses its own rows only`, async () => {
      const session = await proxied.daemon.newSession({ reads: 'staged' });
      const url = proxied.daemon.clientUrl(session);
      const [staged, direct] = [
        await proxied.connect(url),
        await proxied.connect(proxied.twin.url),
      ];
      for (const text of besides(name))
        assert.equal(await outcomeOf(staged, text), await outcomeOf(direct, text), text);
      const met = await refusal(url, `DELETE FROM owner_${name} WHERE id = 1`);
      assert.equal(
        [met.code, met.message],
        ['0A000', `cannot stage writes to "${name}": it ${error}`],
      );
      assert.match(met.hint ?? '', 'Leave out the rows that lead to this one');
      assert.is((await refusal(url, `UPDATE owner_${name} SET id = id + 100`)).code, '0A000');
      assert.is((await refusal(url, `TRUNCATE owner_${name} CASCADE`)).code, '0A000');
      for (const text of [
        `INSERT INTO ${name} (id) VALUES (8)`,
        `INSERT INTO ${name} (id) VALUES (8) ON CONFLICT DO NOTHING`,
        `UPDATE ${name} SET owner = 2`,
        `DELETE FROM ${name} WHERE false`,
        `MERGE INTO ${name} USING (SELECT 1 AS i) s ON id = i WHEN MATCHED THEN DELETE`,
        `COPY ${name} FROM STDIN`,
        `WITH w AS (DELETE FROM ${name} RETURNING 1) SELECT 1`,
        `WITH w AS (UPDATE kept_${name} SET n = n) DELETE FROM ${name} WHERE false`,
      ]) {
        const own = await refusal(url, text);
        assert.equal(
          [own.code, own.message],
          ['0A000', `cannot stage writes to "${name}": it ${error}`],
          text,
        );
      }
      for (const side of [proxied.database, proxied.twin])
        await side.query(`ALTER TABLE ${name} ADD COLUMN later int`);
      const proposed = await proxied.daemon.call('POST', `/sessions/${session}/propose`);
      assert.is(proposed.status, 200);
      const approved = await proxied.daemon.call('POST', `/sessions/${session}/approve`);
      assert.is(approved.status, 200, approved.text);
    });
  }

  test('after approval production has the rows of a direct run', async () => {
    assert.equal(await proxied.contents(), await proxied.twinContents());
  });

  test('is not written to through a view, a function or a trigger', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    await client.query('INSERT INTO kept_ruled VALUES (70, 1, 1)');
    assert.is((await refusal(url, 'INSERT INTO of_ruled VALUES (9, 2)')).code, '0A000');
    assert.is((await refusal(url, 'SELECT add_ruled()')).code, '25006');
  });

  test('refuses an action that a rule replaces, which PostgreSQL refuses for no row, too', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    for (const text of [
      'UPDATE master SET v = 2',
      'UPDATE master SET id = 2',
      'DELETE FROM master WHERE id = 7',
    ])
      assert.equal(
        await outcomeOf(client, text),
        await outcomeOf(await proxied.connect(proxied.twin.url), text),
        text,
      );
    assert.is((await refusal(proxied.twin.url, 'DELETE FROM master')).code, 'XX000');
    const { code, message } = await refusal(url, 'DELETE FROM master');
    assert.equal([code, message], ['0A000', 'cannot stage writes to "kept": it has rules']);
  });

  test('is looked up by the foreign key of what a trigger writes', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query('INSERT INTO noting VALUES (1)');
    assert.equal((await client.query('SELECT * FROM noted')).rows, [{ id: 1, s: 1 }]);
  });

  test('refuses a write to its parent that comes to one of its rows', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    assert.is((await client.query('UPDATE trunk SET v = 9 WHERE id < 3')).rowCount, 2);
    assert.is((await client.query('DELETE FROM trunk WHERE id = 2')).rowCount, 1);
    for (const text of ['UPDATE trunk SET v = 8', 'DELETE FROM trunk WHERE id = 5']) {
      const { code, message } = await refusal(url, text);
      assert.equal([code, message], ['0A000', 'cannot stage writes to "twig": it has rules']);
    }
    assert.equal((await client.query('SELECT * FROM trunk ORDER BY id')).rows, [
      { id: 1, v: 9 },
      { id: 5, v: 5 },
    ]);
    assert.is((await refusal(url, 'INSERT INTO twig VALUES (6, 6)')).code, '0A000');
  });

  test('is read together with its children, which are written to', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    await client.query('INSERT INTO shoot (id) VALUES (3)');
    await client.query('UPDATE shoot SET n = 5 WHERE id = 2');
    for (const relation of ['stem', 'stems'])
      assert.equal((await client.query(`SELECT * FROM ${relation} ORDER BY id`)).rows, [
        { id: 1, n: 1 },
        { id: 2, n: 5 },
        { id: 3, n: 7 },
      ]);
    for (const text of [
      'DELETE FROM stem WHERE id = 3',
      'INSERT INTO stems VALUES (4)',
      'UPDATE ONLY stem SET n = 2',
    ])
      assert.is((await refusal(url, text)).code, '0A000', text);
  });

  test('is written to again once its rule is dropped, and not once it has one', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    const rule = 'CREATE RULE never AS ON DELETE TO sometimes DO INSTEAD NOTHING';
    const write = 'INSERT INTO sometimes VALUES (2)';
    await proxied.database.query(rule);
    await client.query('INSERT INTO under VALUES (1, 1)');
    assert.is((await refusal(url, write)).code, '0A000');
    await proxied.database.query('DROP RULE never ON sometimes');
    assert.is((await client.query(write)).rowCount, 1);
    assert.is((await client.query('INSERT INTO under VALUES (2, 2)')).rowCount, 1);
    await proxied.database.query(rule);
    assert.is((await refusal(url, 'INSERT INTO sometimes VALUES (3)')).code, '0A000');
  });

  test('is not read without the rows that were staged in it before', async () => {
    const url = await proxied.session('staged');
    assert.is((await refusal(url, 'SELECT * FROM sometimes')).code, '0A000');
    await proxied.database.query('DROP RULE never ON sometimes');
    const client = await proxied.connect(url);
    assert.equal((await client.query('SELECT * FROM sometimes')).rows, [{ id: 1 }]);
  });

  test('is read once it has got a rule', async () => {
    const client = await proxied.connect(await proxied.session('staged'));
    await client.query('UPDATE later SET id = id WHERE false');
    await proxied.database.query('CREATE RULE never AS ON DELETE TO later DO INSTEAD NOTHING');
    assert.equal((await client.query('SELECT * FROM later')).rows, [{ id: 1 }]);
    assert.is((await rejects(client.query('DELETE FROM later'))).code, '0A000');
  });
});
