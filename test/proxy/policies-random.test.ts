/**
 * Random policies of row-level security and random statements of two roles: they are answered as they are directly, and production is what
 * it would be once they are approved. STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on.
 */
import { createRole, outcomeOf, testRole } from '../helpers/both-ways.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { drawSchema, drawStatement, hasKey } from '../helpers/policies.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const roles = [testRole('ann'), testRole('bob')];
const names = roles.map(({ name }) => name);

/** Leaves out the policy that hides a row from ON CONFLICT DO UPDATE: staging does not name it. */
const unnamed = (outcome: object): object =>
  JSON.parse(JSON.stringify(outcome).replace(/ \\"p \d\\" (?=\(USING)/, ' '));

/** A function that runs a statement and returns its rows, or their number. */
function functionOf(random: Random, name: string, statement: string): string {
  const isPlain = !/RETURNING|^SELECT/.test(statement);
  if (isPlain && random.chance(0.4))
    return `CREATE FUNCTION ${name}() RETURNS void LANGUAGE sql AS $f$ ${statement} $f$`;
  return !isPlain
    ? `CREATE FUNCTION ${name}() RETURNS SETOF text LANGUAGE plpgsql AS $f$ DECLARE r record;
BEGIN FOR r IN ${statement} LOOP RETURN NEXT r::text; END LOOP; END $f$`
    : `CREATE FUNCTION ${name}() RETURNS bigint LANGUAGE plpgsql AS $f$ DECLARE n bigint;
BEGIN ${statement}; GET DIAGNOSTICS n = ROW_COUNT; RETURN n; END $f$`;
}

/** Returns whether functions with a statement are staged. */
const isForCode = (schema: string, statement: string) =>
  hasKey(schema) &&
  !schema.includes('PARTITION BY') &&
  !/^MERGE|^(INSERT INTO|UPDATE|DELETE FROM) p\d+_v\b/.test(statement);

suite('policies at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
    await proxied.database.query(roles.map((role) => createRole(role)).join(''));
  });
  test.after(async () => {
    for (const { query } of [proxied.twin, proxied.database])
      await query(`DROP OWNED BY ${names.join(', ')}`);
    await proxied.database.query(`DROP ROLE ${names.join(', ')}`);
    await proxied.stop();
  });

  /** Puts some statements into functions, which are then called. */
  async function inCode(random: Random, schema: string, statement: string, name: string) {
    if (random.chance(0.5) || !isForCode(schema, statement)) return statement;
    const made = functionOf(random, name, statement);
    for (const { query } of [proxied.database, proxied.twin]) await query(made);
    return `SELECT ${name}()`;
  }

  /** Runs a script both ways, and approves. */
  async function compare(random: Random, seed: number, schema: string): Promise<void> {
    const { daemon, twin } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const urls = roles.map(({ name, password }) => [
      daemon.clientUrl(session, name, password),
      twin.urlFor(name, password),
    ]);
    const pairs = await Promise.all(urls.map((pair) => Promise.all(pair.map(proxied.connect))));
    const said: string[] = [];
    for (let index = 0; index < 24; index += 1) {
      const who = random.below(pairs.length);
      const statement = await inCode(
        random,
        schema,
        drawStatement(random, seed, hasKey(schema)),
        `p${seed}_f${index}`,
      );
      const [staged, direct] = await Promise.all(
        (pairs[who] ?? []).map(async (client) => unnamed(await outcomeOf(client, statement))),
      );
      said.push(`${names[who]}: ${statement}; -- ${JSON.stringify(direct)}`);
      assert.equal(staged, direct, `${schema}\n${said.join('\n')}`);
    }
    await Promise.all(pairs.flat().map((client) => client.end()));
    for (const step of ['propose', 'approve']) {
      const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
      assert.is(status, 200, text);
    }
    assert.equal(await proxied.contents(), await proxied.twinContents(), said.join('\n'));
  }

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `let through what they do directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const random = createRandom(seed);
        const schema = drawSchema(random, seed, names);
        for (const { query } of [proxied.database, proxied.twin]) await query(schema);
        try {
          await compare(random, seed, schema);
        } finally {
          for (const { query } of [proxied.database, proxied.twin])
            await query(
              `DROP VIEW p${seed}_v; DROP TABLE p${seed}, p${seed}_m; DROP TABLE IF EXISTS p${seed}_log`,
            );
        }
      },
      { timeout: 120_000 },
    );
  }
});
