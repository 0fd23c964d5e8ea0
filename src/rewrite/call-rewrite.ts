/** Rewrites statements to stage the writes of the functions and procedures that they call. */
import { StageError } from '../errors.ts';
import { settingKey } from '../overlay/rows/after-statement.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { refusedStatement } from '../sql/classify/refused-statements.ts';
import type { Calls } from '../sql/functions/calls.ts';
import { changesPath } from '../sql/functions/functions.ts';
import type { RelationUse } from '../sql/places.ts';
import type { QueryWrite, Write } from '../sql/write.ts';
import type { StagedCalls } from './function-names.ts';
import type { Names } from './relation-names.ts';
import type { SplicedBody } from './spliced-body.ts';
import { spliceBody } from './spliced-body.ts';
import type { Named } from './stageable.ts';
import { meaningAt } from './stageable.ts';

/** A write that stages the writes of what it calls. */
export type CallingWrite = QueryWrite & Required<Pick<QueryWrite, 'stagesCalls'>>;

export const stagesCalls = (write: Write): write is CallingWrite =>
  write.form === 'query' && write.stagesCalls !== undefined;

/**
 * Returns an INSERT, UPDATE or DELETE as a write that stages the writes of the functions it calls. It was refused because such a function
 * may write.
 * @throws the refusal for any other write
 */
export function callingWrite(write: Write, refusal: unknown): CallingWrite {
  const isStageable =
    write.form === 'query' &&
    write.rights.length === 1 &&
    write.called.some(({ schema }) => schema !== 'pg_catalog') &&
    write.upserts.length + write.merges.length === 0;
  // guard: only a plain INSERT, UPDATE or DELETE stages what the functions write that it calls
  if (!isStageable || !(refusal instanceof StageError)) throw refusal;
  return { ...write, stagesCalls: 'change' };
}

/**
 * Checks that the procedure of a CALL is staged.
 * @throws StageError with the reason why it is not
 */
function checkProcedure({ stagesCalls: form, called }: CallingWrite, calls: StagedCalls): void {
  const [procedure] = called;
  if (form !== 'CALL' || procedure === undefined) return;
  // guard: a procedure that is not staged is not called
  if (calls.replacements.some(({ start }) => start === procedure.start)) return;
  if (calls.obstacle === null) throw refusalError(refusedStatement('CallStmt', {}));
  throw new StageError(
    'statement_not_supported',
    `CALL of ${procedure.name}() cannot be staged: the procedure ${calls.obstacle}`,
    { hint: 'Run its INSERT, UPDATE and DELETE statements themselves.' },
  );
}

const movesNames = new StageError(
  'statement_not_supported',
  'cannot stage what functions write in a statement that sets search_path or the role',
  { hint: 'Set it by a statement of its own.' },
);

const inCondition = (name: string) =>
  new StageError(
    'statement_not_supported',
    `cannot stage what function ${name}() writes where WHERE or ON calls it`,
    { hint: 'Call it in the select list of a query that has found the rows.' },
  );

/**
 * Returns the calls of a statement without those of functions that are staged: the effects of these are known.
 * @throws StageError for a CALL of a procedure that is not staged, and for a statement in which names may move
 */
export function unstagedIn(write: CallingWrite, calls: StagedCalls): Calls {
  checkProcedure(write, calls);
  const readsRows = write.relations.some(({ target }) => target !== 'INSERT');
  // guard: a function that writes decides about no rows: PostgreSQL would also pass it those that the session has changed or deleted
  if (calls.inCondition !== null && readsRows) throw inCondition(calls.inCondition);
  // guard: names in a staged function do not move while the statement runs
  if (calls.writing.length > 0 && changesPath(write.functions)) throw movesNames;
  const { functions, fields, operators, types } = write;
  const isStaged = (name: string, schema: string | null) =>
    [...calls.writing, ...calls.harmless].some(
      (each) => each.name === name && each.schema === schema,
    );
  const others = functions.filter(({ name, schema }) => !isStaged(name, schema));
  return { functions: others, fields, operators, types };
}

/** Returns a statement with the tables that its functions write to, which it does not name itself. */
export function withWritten(write: CallingWrite, { written }: StagedCalls): CallingWrite {
  const tables = new Map(written.map((each) => [JSON.stringify(each), each]));
  const uses = [...tables.values()].map(
    (name): RelationUse => ({
      ...name,
      ...{ start: nowhere, end: nowhere, only: false, target: 'UPDATE' },
    }),
  );
  return { ...write, relations: [...write.relations, ...uses] };
}

/**
 * Returns the replacements in a statement, and its other needs.
 * @param staged its relations, and the tables that its functions write to
 */
export async function spliceCalls(
  write: CallingWrite,
  { replacements }: StagedCalls,
  staged: readonly Named[],
  names: Names,
): Promise<SplicedBody> {
  const own = staged.filter(({ use }) => use.start !== nowhere);
  const spliced = await spliceBody(write, own, names, new Map());
  return {
    ...spliced,
    replacements: [...spliced.replacements, ...replacements],
    options: { ...spliced.options, 'stage.called': 'on', ...callingOption(write, own) },
  };
}

/**
 * Returns the setting that names the table and operation of a write that calls functions, as triggers name them; none for a temporary
 * table, which has no triggers.
 */
function callingOption({ rights }: CallingWrite, named: readonly Named[]): Record<string, string> {
  const [right] = rights;
  const { kind, table } = right ? meaningAt(named, right.target) : { kind: null, table: null };
  if (!right || table === null || kind === 'temporary') return {};
  return { 'stage.calling': settingKey({ oid: table }, right.operation) };
}

/** The place of a name that is not in the statement's text. */
const nowhere = -1;
