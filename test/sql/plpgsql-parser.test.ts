/** An instance of the parser that has read other functions reads a function in PL/pgSQL as a new instance does. */

import { loadParser, plpgsqlFault } from '../../src/sql/parser/parser.ts';
import type { PlpgsqlEngine } from '../../src/sql/parser/wasm-engine.ts';
import { compileEngine, createPlpgsqlEngine } from '../../src/sql/parser/wasm-engine.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A global of Node. Its types come only with those of browsers. */
declare const WebAssembly: {
  Instance: new (compiled: object, imports: object) => { readonly exports: object };
};

const declarations = [
  '',
  'DECLARE a int := 1; b text;',
  'DECLARE c CURSOR FOR SELECT 1; r record;',
  'DECLARE a alias FOR $1;',
  'DECLARE a nowhere.type;',
  'DECLARE a int; a int;',
  '#variable_conflict use_column DECLARE a int;',
  '#print_strict_params on',
  'DECLARE a CONSTANT int NOT NULL := 3;',
];

const statements = [
  'INSERT INTO t VALUES (a);',
  'FOR r IN SELECT * FROM t LOOP NULL; END LOOP;',
  '<<outer>> LOOP EXIT outer; END LOOP;',
  'BEGIN PERFORM 1; EXCEPTION WHEN OTHERS THEN RAISE; END;',
  'BEGIN PERFORM 1; EXCEPTION WHEN no_such_condition THEN NULL; END;',
  "EXECUTE 'SELECT $1' INTO a USING 1;",
  'a := (SELECT max(id) FROM t);',
  'IF a > 1 THEN a := 2; ELSIF true THEN NULL; ELSE a := 3; END IF;',
  "RAISE NOTICE '%', a USING HINT = 'x';",
  "RAISE NOTICE '% %', a;",
  'OPEN c; FETCH c INTO r; CLOSE c;',
  'RETURN QUERY SELECT 1;',
  'GET DIAGNOSTICS a = ROW_COUNT;',
  'SELECT FROM WHERE;',
  'END; BEGIN',
  'a := ;',
  'FOREACH a IN ARRAY ARRAY[1] LOOP NULL; END LOOP;',
  'unknown statement here;',
  "a := 'not closed;",
  `a := ${'1 + '.repeat(2000)} 1;`,
  `${'IF true THEN '.repeat(6000)} NULL; ${'END IF; '.repeat(6000)}`,
];

const signatures = [
  'f() RETURNS int',
  'f(INOUT a int, OUT b text)',
  'f() RETURNS trigger',
  'f() RETURNS SETOF t',
  'f(a int) RETURNS TABLE (b int)',
  'f() RETURNS nowhere.type',
];

const definition = (signature: string, body: string) =>
  `CREATE FUNCTION ${signature} LANGUAGE plpgsql AS $body$${body}$body$`;

suite('sql: functions in PL/pgSQL', (test) => {
  test.before(loadParser);

  const seed = firstSeed();
  test(`are parsed as by new instances, whatever came before (seed ${seed})`, async () => {
    const random = createRandom(seed);
    const compiled = await compileEngine();
    const kept = await createPlpgsqlEngine(compiled);
    const some = () => Array.from({ length: random.below(4) }, () => random.pick(statements));
    for (let index = 0; index < drawn(150, 'STATEMENTS'); index += 1) {
      const body = `${random.pick(declarations)} BEGIN ${some().join(' ')} RETURN; END`;
      const text = definition(random.pick(signatures), body);
      const due = outcomeOf(await createPlpgsqlEngine(compiled), text);
      assert.equal({ text, outcome: outcomeOf(kept, text) }, { text, outcome: due });
    }
  });

  test('are parsed after one that has corrupted the memory', async () => {
    const { engine, memory } = await watchedEngine();
    const text = definition('f() RETURNS int', 'BEGIN RETURN 1; END');
    const first = outcomeOf(engine, text);
    assert.match(first, /PLpgSQL_stmt_return/);
    new Uint8Array(memory.buffer, 0, 2 ** 20).fill(0xff);
    assert.is(outcomeOf(engine, text), first);
  });

  test('report the error of one text only', async () => {
    const faultOf = (body: string) =>
      plpgsqlFault(Buffer.from(definition('f() RETURNS int', body)), Buffer.from(body));
    assert.match((await faultOf('BEGIN RETRUN 1; END'))?.message ?? '', /syntax error/);
    assert.is(await faultOf('BEGIN RETURN 1; END'), null);
  });
});

interface Memory {
  readonly buffer: ArrayBuffer;
}

/** Creates an instance, and returns its memory, too. */
async function watchedEngine(): Promise<{ engine: PlpgsqlEngine; memory: Memory }> {
  const compiled = await compileEngine();
  const { Instance } = WebAssembly;
  const memories: Memory[] = [];
  WebAssembly.Instance = class extends Instance {
    constructor(...args: ConstructorParameters<typeof Instance>) {
      super(...args);
      memories.push(...Object.values(this.exports).filter((each) => 'buffer' in each));
    }
  };
  const engine = await createPlpgsqlEngine(compiled).finally(() => {
    WebAssembly.Instance = Instance;
  });
  const [memory] = memories;
  assert.ok(memory);
  return { engine, memory };
}

function outcomeOf(engine: PlpgsqlEngine, text: string): string {
  try {
    return JSON.stringify(engine.parse(Buffer.from(text)));
  } catch (error) {
    return String(error);
  }
}
