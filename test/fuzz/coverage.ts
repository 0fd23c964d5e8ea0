/** The coverage of a run: how many statements of each form, and how many of them succeeded. */
import type { Listener } from './run-script.ts';
import type { Script } from './script.ts';
import type { Statement } from './statement.ts';

type Form = readonly [name: string, matches: (statement: Statement) => boolean];

const said = (name: string, pattern: RegExp): Form => [name, ({ text }) => pattern.test(text)];

const forms: readonly Form[] = [
  said('INSERT ... VALUES', /^INSERT .*\) VALUES/s),
  said('INSERT ... SELECT', /^INSERT .*\) SELECT/s),
  said('INSERT of rows that come as a set', /^INSERT (?!.*(RETURNING|OVERRIDING)).*\) SELECT/s),
  said('INSERT DEFAULT VALUES', /^INSERT .* DEFAULT VALUES/s),
  said('OVERRIDING SYSTEM or USER VALUE', /OVERRIDING/),
  said('ON CONFLICT DO NOTHING', /ON CONFLICT .*DO NOTHING/s),
  said('ON CONFLICT DO UPDATE', /DO UPDATE/),
  said('ON CONFLICT ON CONSTRAINT', /ON CONFLICT ON CONSTRAINT/),
  said('UPDATE', /^UPDATE/),
  said('UPDATE ... FROM', /^UPDATE .* FROM .* o WHERE/s),
  said('UPDATE of several columns by a row', /SET \(.*\) = \(/s),
  said('DELETE', /^DELETE/),
  said('DELETE ... USING', /^DELETE .* USING/s),
  said('MERGE', /^MERGE/),
  said('TRUNCATE', /^TRUNCATE/),
  said('data-modifying WITH', /^WITH done/),
  said('RETURNING', /RETURNING/),
  said('RETURNING old, new', /RETURNING.*(old\.|OLD AS)/s),
  said('EXPLAIN', /^EXPLAIN/),
  said('COPY FROM STDIN, text', /FROM STDIN$/),
  said('COPY FROM STDIN, csv', /FROM STDIN WITH \(FORMAT csv/),
  said('COPY FROM STDIN, binary', /FROM STDIN \(FORMAT binary/),
  said('COPY TO STDOUT', /TO STDOUT/),
  said('SELECT', /^(SELECT|WITH part)/),
  said('SELECT ... FOR UPDATE, FOR SHARE', /^SELECT.* FOR (UPDATE|SHARE)$/s),
  said('BEGIN, START TRANSACTION', /^(BEGIN|START)/),
  said('REPEATABLE READ, SERIALIZABLE', /REPEATABLE READ|SERIALIZABLE/),
  said('READ ONLY', /READ ONLY/),
  said('COMMIT, ROLLBACK', /^(COMMIT|END|ROLLBACK|ABORT)( AND CHAIN)?$/),
  said('SAVEPOINT, ROLLBACK TO, RELEASE', /^(SAVEPOINT|ROLLBACK TO|RELEASE)/),
  said('SET CONSTRAINTS', /^SET CONSTRAINTS/),
  said('DECLARE CURSOR, FETCH, MOVE, CLOSE', /^(DECLARE|FETCH|MOVE|CLOSE)/),
  said('PREPARE, EXECUTE', /^(PREPARE|EXECUTE)/),
  ['simple protocol', ({ parameters }) => parameters === null],
  ['extended protocol', ({ parameters }) => parameters !== null],
  ['binary parameters', ({ parameters }) => parameters?.some(({ binary }) => binary) ?? false],
  ['binary results', ({ binaryResults }) => binaryResults],
  ['named statement of the protocol', ({ prepared }) => prepared !== null],
  ['portal in pieces', ({ rowsAtOnce }) => rowsAtOnce > 0],
  ['pipeline', ({ pipelined }) => pipelined.length > 0],
  said('several statements in one message', /; (INSERT|UPDATE|DELETE|SELECT|WITH)/),
];

/** The features of schemas, recognized by their statements. */
const traits: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['primary key of one column', /PRIMARY KEY \([^,()]*\)/g],
  ['primary key of several columns', /PRIMARY KEY \([^()]*,[^()]*\)/g],
  ['table without a primary key', /^CREATE TABLE (?!.*(PRIMARY KEY|PARTITION OF))/gm],
  ['identity or serial', /GENERATED (ALWAYS|BY DEFAULT) AS IDENTITY|serial/g],
  ['generated column', /GENERATED ALWAYS AS \(/g],
  ['CHECK', /CHECK \((?!VALUE)/g],
  ['UNIQUE', /UNIQUE \(/g],
  ['UNIQUE NULLS NOT DISTINCT', /NULLS NOT DISTINCT/g],
  ['unique index, partial', /UNIQUE INDEX.* WHERE/g],
  ['unique index over an expression', /UNIQUE INDEX.*\(\(/g],
  ['UNIQUE DEFERRABLE', /UNIQUE \([^()]*\) DEFERRABLE/g],
  ['EXCLUDE', /EXCLUDE/g],
  ['partitioned table', /PARTITION BY/g],
  ['foreign key', /FOREIGN KEY/g],
  ['foreign key of several columns', /FOREIGN KEY \([^()]*,/g],
  ['foreign key to the table itself', /ALTER TABLE (\S+) ADD.* REFERENCES \1 /g],
  ['foreign key MATCH FULL', /MATCH FULL/g],
  ['foreign key DEFERRABLE', /REFERENCES.* DEFERRABLE/g],
  ['ON DELETE or UPDATE RESTRICT', /ON (DELETE|UPDATE) RESTRICT/g],
  ['ON DELETE or UPDATE CASCADE', /ON (DELETE|UPDATE) CASCADE/g],
  ['ON DELETE or UPDATE SET NULL', /ON (DELETE|UPDATE) SET NULL/g],
  ['ON DELETE or UPDATE SET DEFAULT', /ON (DELETE|UPDATE) SET DEFAULT/g],
  ['ON DELETE SET (columns)', /SET (NULL|DEFAULT) \(/g],
];

export interface Coverage extends Listener {
  schema(script: Script): void;
  /** How many statements were refused, as docs/limits.md says they are. */
  refusals(): number;
  /** The counts as lines of a table. */
  lines(): string[];
}

/** Starts counting. */
export function createCoverage(): Coverage {
  const found = new Map<string, number>();
  const counts = new Map(forms.map(([name]) => [name, { run: 0, succeeded: 0 }]));
  let refused = 0;
  return {
    refused: () => {
      refused += 1;
    },
    refusals: () => refused,
    schema: ({ setup }) => {
      const text = setup.join('\n');
      for (const [name, pattern] of traits)
        found.set(name, (found.get(name) ?? 0) + [...text.matchAll(pattern)].length);
    },
    statement: (statement, answer) => {
      const succeeded = answer.some((line) => line.startsWith('E ')) ? 0 : 1;
      for (const [name, matches] of forms) {
        const count = counts.get(name);
        if (!count || !matches(statement)) continue;
        count.run += 1;
        count.succeeded += succeeded;
      }
    },
    lines: () => [
      ...[...found].map(([name, count]) => `${cell(count)}          ${name}`),
      ...[...counts].map(
        ([name, { run, succeeded }]) => `${cell(run)} ${cell(succeeded)}  ${name}`,
      ),
    ],
  };
}

const cell = (count: number) => String(count).padStart(8);
