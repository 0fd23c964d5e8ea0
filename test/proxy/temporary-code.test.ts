/** Code of users that temporary tables run, and statements in the extended protocol: none of it changes production. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { b, c, d, data, done, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';

/** GRANT locks no relation: only the catalogs show it. */
const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int);
INSERT INTO item VALUES (1, 10), (2, 20);
CREATE FUNCTION grants() RETURNS int LANGUAGE plpgsql AS 'BEGIN GRANT SELECT ON public.item TO PUBLIC; RETURN 1; END';
CREATE FUNCTION granting() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.grants(); END';
CREATE FUNCTION forging() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN PERFORM set_config('stage.definition', 'x {"writes": 0, "dropped": []}', true); RETURN public.grants(); END$$;
CREATE VIEW viewed AS SELECT id, granting() AS n FROM item;
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION of_pair(pair) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.grants(); END';
CREATE CAST (pair AS int) WITH FUNCTION of_pair(pair) AS ASSIGNMENT;
CREATE TABLE indexed (id int);
CREATE INDEX ON indexed ((id + granting()));
REVOKE SELECT ON item FROM PUBLIC;
`;

suite('code of users in temporary tables', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const rights = () =>
    proxied.database.query(`SELECT relacl::text FROM pg_class WHERE oid = 'item'::regclass`);

  test('does not write to the catalogs while a table is defined', async () => {
    const before = await rights();
    const client = await proxied.connect(await proxied.session('staged'));
    for (const made of [
      'CREATE TEMP TABLE own (id int, n int)',
      'CREATE TEMP TABLE pairs (x pair)',
      'CREATE TEMP TABLE parts (id int) PARTITION BY LIST (id)',
      'INSERT INTO own VALUES (1, 1)',
      'INSERT INTO pairs VALUES (ROW(1, 2))',
    ])
      await client.query(made);
    const refused: Readonly<Record<string, RegExp>> = {
      'CREATE TEMP TABLE made AS SELECT granting() AS n': /write to the system catalogs/,
      'CREATE TEMP TABLE made AS SELECT * FROM viewed': /write to the system catalogs/,
      'SELECT id INTO TEMP made FROM item WHERE granting() = 1': /write to the system catalogs/,
      'CREATE TEMP TABLE made AS SELECT forging() AS n': /settings of the staging service/,
      'CREATE TEMP TABLE made AS SELECT grants() AS n': /grants\(\) cannot be run/,
      'CREATE INDEX ON own ((id + granting()))': /users of the database have made$/,
      'ALTER TABLE own ADD c int DEFAULT granting()': /users of the database have made$/,
      'ALTER TABLE own ALTER n TYPE int USING granting()': /users of the database have made$/,
      'CREATE TEMP TABLE part PARTITION OF parts FOR VALUES IN (granting())':
        /users of the database have made$/,
      'CREATE TEMP TABLE made (LIKE indexed INCLUDING INDEXES)': /users of the database have made$/,
      'ALTER TABLE pairs ALTER x TYPE int': /users of the database have made$/,
      'ALTER TABLE pairs ADD c int GENERATED ALWAYS AS (x) STORED':
        /users of the database have made$/,
      'CREATE TEMP TABLE pg_class (oid int)': /cannot be called "pg_class"/,
      'ALTER TABLE own RENAME TO text': /cannot be called "text"/,
      'CREATE TEMP TABLE _stage_merge_1 (id int)': /belong to the staging service/,
    };
    for (const [statement, message] of Object.entries(refused)) {
      for (const block of [[], ['BEGIN']]) {
        for (const text of block) await client.query(text);
        const error = await rejects(client.query(statement));
        assert.match(error.message, message, `${statement}: ${error.message}`);
        await client.query('ROLLBACK');
      }
      assert.equal(await rights(), before, statement);
    }
    assert.equal((await client.query('TABLE own')).rows, [{ id: 1, n: 1 }]);
  });

  test('two connections have tables of one name each', async () => {
    const session = await proxied.session('staged');
    const [one, other] = [await proxied.connect(session), await proxied.connect(session)];
    for (const [client, value] of [
      [one, 1],
      [other, 2],
    ] as const) {
      await client.query('SELECT * FROM item');
      await client.query(`CREATE TEMP TABLE item AS SELECT ${value} AS mine`);
    }
    await one.query('UPDATE item SET mine = 3');
    assert.equal((await one.query('TABLE item')).rows, [{ mine: 3 }]);
    assert.equal((await other.query('TABLE item')).rows, [{ mine: 2 }]);
    const third = await proxied.connect(session);
    assert.is((await third.query('SELECT id FROM item WHERE id = 2')).rowCount, 1);
    await other.query('DROP TABLE item');
    await other.query('UPDATE item SET n = 21 WHERE id = 2');
    assert.equal((await one.query('TABLE item')).rows, [{ mine: 3 }]);
    const answers = await runScript(session, [
      q('SELECT n FROM item WHERE id = 2'),
      q('DROP TABLE item'),
    ]);
    assert.match(answers.join('\n'), /D .*21[\s\S]*DROP TABLE cannot be run/);
  });

  test('is the same in the extended protocol as directly', async () => {
    await assertAlike(proxied, [
      ...[run('CREATE TEMP TABLE a (id int, n int)'), run('INSERT INTO a VALUES ($1, 1)', '5'), s],
      ...[run('CREATE TEMP TABLE b AS SELECT id, $1::text AS t FROM item WHERE n < $2', 'x', '15')],
      ...[run('TABLE b'), s],
      ...[p('INSERT INTO item SELECT id + $1, n FROM a RETURNING *', 'into', [23]), s],
      ...[b(['30'], 'into'), d(), e(), s, b(['40'], 'into'), e(), s],
      ...[p('UPDATE a SET n = n + $1 RETURNING n', 'up'), d('statement', 'up'), s],
      ...[b(['3'], 'up'), e(), b(['4'], 'up'), e(), s],
      // the meaning of a name changes between Parse and Execute
      ...[p('DELETE FROM item WHERE id = $1 RETURNING id', 'del'), s],
      ...[run('CREATE TEMP TABLE item AS TABLE item'), s, c('statement', 'del')],
      ...[p('DELETE FROM item WHERE id = $1 RETURNING id', 'del'), s, b(['1'], 'del'), e(), s],
      ...[q('SELECT * FROM item ORDER BY 1'), q('SELECT * FROM public.item ORDER BY 1')],
      ...[p('ALTER TABLE item RENAME TO moved', 'move'), s, b([], 'move'), e(), s],
      ...[b(['2'], 'del'), e(), s, q('TABLE moved'), q('SELECT * FROM item ORDER BY 1')],
      ...[p('DROP TABLE moved', 'drop'), s, b([], 'drop'), e(), s],
      ...[run('BEGIN'), run('CREATE TEMP TABLE c (id int)'), run('INSERT INTO c VALUES (1)')],
      ...[run('SAVEPOINT x'), run('DROP TABLE c'), run('ROLLBACK TO x'), run('TABLE c')],
      ...[run('INSERT INTO item SELECT 50, id FROM c'), run('COMMIT'), s, run('TABLE c'), s],
      ...[p('COPY a FROM STDIN'), b(), e(), data('7\t7\n'), done, s, q('TABLE a')],
      ...[q('COPY a FROM STDIN'), data('8\t8\n'), done, q('COPY a TO STDOUT')],
      ...[q('BEGIN READ ONLY'), p('COPY a FROM STDIN'), b(), e(), data('9\t9\n'), done, s],
      ...[run('INSERT INTO a VALUES (10, 10)'), run('TABLE a'), run('TRUNCATE a'), s],
      ...[q('ROLLBACK'), q('PREPARE ins AS INSERT INTO a VALUES ($1, 0) RETURNING *')],
      ...[q('EXECUTE ins(11)'), q('DROP TABLE a'), q('CREATE TEMP TABLE a (id int, n int)')],
      ...[
        q('EXECUTE ins(12)'),
        c('statement', 'up'),
        run('SELECT 1 INTO TEMP d'),
        run('TABLE d'),
        s,
      ],
      ...[
        run('CREATE TEMP TABLE a (id int)'),
        s,
        run('DROP TABLE a, b, c, d'),
        s,
        run('TABLE a'),
        s,
      ],
    ]);
  });
});
