/** The actions of sessions of every kind before an upgrade, and the requests about them afterwards. */

import type { Shape } from './shapes.ts';
import { dropped } from './shapes.ts';
import type { Side } from './side.ts';

export interface Step {
  readonly name: string;
  readonly run: (side: Side) => Promise<string>;
}

/** Sessions that stage a change of every table before the upgrade, each in its own rows. */
const kinds = [
  'open',
  'proposed',
  'rejected',
  'approved',
  'reverted',
  'reverting',
  'conflicting',
] as const;

/** The approved ones, which use only tables that a revert supports. */
const approved = new Set<string>(['approved', 'reverted', 'reverting']);

/** Returns the rows of a session in each table. */
const rowsOf = (session: string) => {
  const at = 5 * [...kinds, 'stuck', 'idle', 'later', 'beside'].indexOf(session);
  return { changed: at + 1, gone: at + 2, touched: at + 3, made: 1000 + at, made2: 1001 + at };
};

const isOne = ({ id = 'id' }: Shape, row: number) => `WHERE ${id} = ${row}`;
const insertOf = (shape: Shape, row: number) =>
  `INSERT INTO ${shape.insert.replaceAll('$id', String(row))}`;
const updateOf = (shape: Shape, row: number) =>
  `UPDATE ${shape.table} SET ${shape.set} ${isOne(shape, row)}`;
const deleteOf = (shape: Shape, row: number) => `DELETE FROM ${shape.table} ${isOne(shape, row)}`;

/** Creates a step whose name says who does what. */
function step(name: string, run: Step['run']): Step {
  return { name, run };
}

const statement = (session: string, text: string): Step =>
  step(`${session}: ${text}`, (side) => side.run(session, text));
const request = (session: string, path: string, json: object = {}): Step =>
  step(`${session}: POST ${path}`, (side) => side.ask('POST', session, path, json));
const question = (session: string, path: string): Step =>
  step(`${session}: GET ${path}`, (side) => side.ask('GET', session, path));
const creation = (session: string): Step =>
  step(`${session}: created`, (side) => side.create(session));
const reversion = (session: string, into: string): Step =>
  step(`${session}: reverted`, (side) => side.revert(session, into));
const production = (text: string): Step =>
  step(`production: ${text}`, async (side) => {
    await side.database.query(text);
    return '';
  });

/** Every third table, for sessions that need no more tables. */
const thirds = new Map([
  ['rejected', 0],
  ['reverted', 1],
  ['reverting', 2],
]);

function shapesOf(session: string, shapes: readonly Shape[]): readonly Shape[] {
  const third = thirds.get(session);
  return shapes
    .filter((_, index) => third === undefined || index % 3 === third)
    .filter(({ isKeyless }) => !(isKeyless && approved.has(session)));
}

function staging(session: string, shapes: readonly Shape[]): Step[] {
  const { made, changed, gone } = rowsOf(session);
  return shapes.flatMap((shape) => [
    statement(session, insertOf(shape, made)),
    statement(session, updateOf(shape, changed)),
    statement(session, deleteOf(shape, gone)),
  ]);
}

const reading = (session: string, shapes: readonly Shape[]): Step[] => {
  const { made, made2, changed, gone, touched } = rowsOf(session);
  const rows = [made, made2, changed, gone, touched].join(', ');
  return shapes.map((shape) => {
    const { table, id = 'id' } = shape;
    return statement(session, `SELECT * FROM ${table} WHERE ${id} IN (${rows}) ORDER BY ${id}`);
  });
};

/** Returns the steps that continue a session. */
function goingOn(session: string, shapes: readonly Shape[]): Step[] {
  const { made, made2, changed, touched } = rowsOf(session);
  return shapes.flatMap((shape) => [
    statement(session, updateOf(shape, made)),
    statement(session, deleteOf(shape, changed)),
    statement(session, updateOf(shape, touched)),
    statement(session, insertOf(shape, made2)),
  ]);
}

const review = (session: string): Step[] => [
  question(session, '/diff'),
  question(session, '/conflicts'),
];
const approval = (session: string): Step[] => [
  request(session, '/propose'),
  ...review(session),
  request(session, '/approve'),
];

const truncated = ['plain', 'loose', 'makers, products, reviews', 'parts', 'animals'];

export interface Story {
  readonly tables: string;
  /** Before the upgrade. */
  readonly before: readonly Step[];
  /** A transaction that is open while the new release starts, and its end. */
  readonly idle: readonly Step[];
  readonly end: Step;
  /** After the upgrade. */
  readonly after: readonly Step[];
}

/** Returns the story of tables of these shapes. */
export function storyOf(shapes: readonly Shape[]): Story {
  const tables = [...shapes, dropped];
  const alterations = tables.flatMap(({ altered = [] }) => altered);
  const [first] = shapes as [Shape];
  const conflicting = rowsOf('conflicting');
  const unaltered = shapes.filter(({ altered }) => altered === undefined);
  return {
    tables: tables.map(({ definition }) => `${definition};`).join('\n'),
    before: [
      ...kinds.flatMap((kind) => [creation(kind), ...staging(kind, shapesOf(kind, shapes))]),
      creation('stuck'),
      ...staging('stuck', [dropped]),
      creation('truncating'),
      ...(shapes.some(({ table }) => table === 'makers')
        ? truncated.map((names) => statement('truncating', `TRUNCATE ${names}`))
        : []),
      request('proposed', '/propose'),
      request('rejected', '/propose'),
      request('rejected', '/reject'),
      ...[...approved].flatMap((kind) => [request(kind, '/propose'), request(kind, '/approve')]),
      reversion('reverted', 'inverse'),
      request('inverse', '/propose'),
      request('inverse', '/approve'),
      reversion('reverting', 'inverting'),
      ...unaltered.flatMap((shape) => [
        production(updateOf(shape, conflicting.changed)),
        production(deleteOf(shape, conflicting.gone)),
      ]),
      ...alterations.map(production),
      creation('idle'),
    ],
    idle: [statement('idle', 'BEGIN'), statement('idle', updateOf(first, rowsOf('idle').changed))],
    end: statement('idle', 'COMMIT'),
    after: [
      ...[...kinds, 'stuck', 'truncating', 'idle', 'inverse', 'inverting'].flatMap(review),
      creation('beside'),
      ...staging('beside', [dropped]),
      ...reading('beside', [dropped]),
      ...reading('open', shapes),
      ...goingOn('open', unaltered),
      ...reading('open', shapes),
      ...reading('conflicting', shapes),
      ...reading('stuck', [dropped]),
      ...truncated.map((names) =>
        statement('truncating', `SELECT count(*) FROM ${names.replace(/,.*/, '')}`),
      ),
      request('proposed', '/approve'),
      ...approval('open'),
      ...approval('inverting'),
      reversion('approved', 'taking back'),
      ...approval('taking back'),
      reversion('proposed', 'taking back later'),
      ...review('taking back later'),
      request('conflicting', '/resolve', { all: 'mine' }),
      ...approval('conflicting'),
      ...approval('idle'),
      ...approval('beside'),
      ...approval('stuck'),
      request('stuck', '/reject'),
      ...approval('truncating'),
      request('truncating', '/reject'),
      creation('later'),
      ...staging('later', shapes),
      ...reading('later', shapes),
      ...approval('later'),
      step('audit', (side) => side.look('/audit/verify')),
    ],
  };
}
