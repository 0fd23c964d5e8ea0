/** A random script: a schema and statements over it, with transactions, savepoints and looks at all tables on the way. */
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { literal } from './column-types.ts';
import { everything, reads } from './reads.ts';
import type { Schema } from './schema.ts';
import { randomSchema } from './schema.ts';
import { copyLine, copyText, merge, truncate, upsert, upsertSeveral } from './special-writes.ts';
import type { Features, Parameter, Statement } from './statement.ts';
import { createWriter } from './statement.ts';
import type { Shape } from './writes.ts';
import { writesOfMany, writesOfOne } from './writes.ts';

export interface Script {
  /** DDL and first rows, run directly on both databases. */
  readonly setup: readonly string[];
  readonly statements: readonly Statement[];
  /** Tables to compare at the end. */
  readonly tables: readonly string[];
}

/** Gives the script of a seed: the same on every run. */
export function randomScript(seed: number, length: number, features: Features): Script {
  const random = createRandom(seed);
  const schema = randomSchema(random);
  const statements: Statement[] = [];
  while (statements.length < length) {
    statements.push(...nextStatements(random, schema, features));
    if (random.chance(0.04)) statements.push(...checkpoint(schema));
  }
  statements.push(...checkpoint(schema));
  return { setup: schema.setup, statements, tables: schema.tables.map(({ name }) => name) };
}

const simple = (text: string): Statement => ({
  text,
  parameters: null,
  binaryResults: false,
  ofMany: false,
  data: null,
});

const checkpoint = ({ tables }: Schema): Statement[] =>
  tables.map((table) => simple(everything(table)));

function nextStatements(random: Random, schema: Schema, features: Features): Statement[] {
  if (random.chance(0.09)) return transaction(random, schema, features);
  if (random.chance(0.02)) return prepared(random, schema, features);
  return [single(random, schema, features)];
}

const beginnings = [
  'BEGIN',
  'BEGIN',
  'START TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'BEGIN ISOLATION LEVEL SERIALIZABLE',
  'BEGIN READ ONLY',
];

function transaction(random: Random, schema: Schema, features: Features): Statement[] {
  const statements = [simple(random.pick(beginnings))];
  const savepoints = [
    'SAVEPOINT a',
    'ROLLBACK TO a',
    'RELEASE a',
    'SAVEPOINT "B"',
    'ROLLBACK TO "B"',
  ];
  if (random.chance(0.5)) statements.push(simple('SAVEPOINT a'));
  for (let more = 1 + random.below(7); more > 0; more -= 1) {
    statements.push(single(random, schema, features));
    if (random.chance(0.35)) statements.push(simple(random.pick(savepoints)));
  }
  if (features.staged('setConstraints') && random.chance(0.3))
    statements.splice(
      2,
      0,
      simple(`SET CONSTRAINTS ALL ${random.pick(['DEFERRED', 'IMMEDIATE'])}`),
    );
  return [...statements, simple(random.pick(['COMMIT', 'COMMIT', 'END', 'ROLLBACK']))];
}

/** The statement as a prepared one of SQL, executed twice. */
function prepared(random: Random, schema: Schema, features: Features): Statement[] {
  const { text, parameters } = written(random, schema, features, writesOfOne, true);
  const values = (parameters ?? []).map(({ value }) => literal(value)).join(', ');
  const execute = simple(`EXECUTE made${values === '' ? '' : `(${values})`}`);
  return [simple(`PREPARE made AS ${text}`), execute, execute, simple('DEALLOCATE made')];
}

function single(random: Random, schema: Schema, features: Features): Statement {
  const { staged } = features;
  const write = (shapes: readonly Shape[]) =>
    written(random, schema, features, shapes, random.chance(0.5));
  if (staged('copyFrom') && random.chance(0.04)) return copy(random, schema);
  if (staged('truncate') && random.chance(0.005)) return write([truncate]);
  const special = staged('merge') ? [upsert, upsertSeveral, merge] : [upsert, upsertSeveral];
  const kind = random.below(20);
  if (kind < 8) return write(writesOfOne);
  if (kind < 13) return { ...write(writesOfMany), ofMany: true };
  if (kind < 17) return { ...write(special), ofMany: true };
  return write(reads);
}

/** Writes one of the shapes for one of the tables; not every shape goes with every table. */
function written(
  random: Random,
  schema: Schema,
  features: Features,
  shapes: readonly Shape[],
  bound: boolean,
): Statement {
  for (;;) {
    const parameters: Parameter[] | null = bound ? [] : null;
    const writer = createWriter(random, schema, features, parameters);
    const text = random.pick(shapes)(writer, random.pick(schema.tables));
    if (text !== null)
      return {
        ...simple(text),
        parameters,
        binaryResults: bound && random.chance(0.3),
      };
  }
}

function copy(random: Random, schema: Schema): Statement {
  const table = random.pick(schema.tables);
  const columns = table.columns.filter(({ filled }) => filled === 'given');
  const line = () =>
    copyLine(columns.map(({ type }) => (random.chance(0.08) ? null : random.pick(type.values))));
  // a COPY draws the keys of a whole batch before its first row can fail, so that other keys follow
  const draws = table.columns.some(({ filled }) => filled !== 'given' && filled !== 'stored');
  const data = Array.from({ length: draws ? 1 : 1 + random.below(3) }, line).join('');
  return { ...simple(copyText(table.name, columns)), ofMany: true, data };
}

/** The script as psql (16 or newer) takes it: to be read, and run by hand on a database of one's own. */
export function scriptAsSql({ setup, statements }: Script): string {
  const lines = statements.map(({ text, parameters, data }) => {
    if (data !== null) return `${text};\n${data}\\.`;
    if (!parameters) return `${text};`;
    const values = parameters.map(({ value }) => (value === null ? 'NULL' : literal(value)));
    return `${text} \\bind ${values.join(' ')} \\g`;
  });
  return [...setup.map((text) => `${text};`), '-- from here on staged', ...lines].join('\n');
}
