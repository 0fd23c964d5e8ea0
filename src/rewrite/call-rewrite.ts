/** Rewrites statements to stage the writes of the functions and procedures that they call. */
import { StageError } from '../errors.ts';
import { settingKey } from '../overlay/rows/after-statement.ts';
import { refusalError } from '../server-connection/refusals.ts';
import { refusedStatement } from '../sql/classify/refused-statements.ts';
import type { Calls } from '../sql/functions/calls.ts';
import { changesPath, functionRefusal } from '../sql/functions/functions.ts';
import type { RelationUse } from '../sql/places.ts';
import type { QueryWrite, Write } from '../sql/write.ts';
import type { FunctionNames, StagedCalls } from './function-names.ts';
import type { Names } from './relation-names.ts';
import type { Rewrite } from './rewritten.ts';
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
export function callingWrite(write: QueryWrite, refusal: unknown): CallingWrite {
  const isPlain = write.rights.length === 1 && write.upserts.length + write.merges.length === 0;
  // guard: only a plain INSERT, UPDATE or DELETE stages what the functions write that it calls
  if (!isPlain) throw refusal;
  return { ...write, stagesCalls: 'change' };
}

/**
 * Returns a write that was refused, if it may call functions of users, which may be staged.
 * @throws the refusal for any other write
 */
export function writeOfCalls(write: Write, refusal: unknown): QueryWrite {
  const calls =
    write.form === 'query' && write.called.some(({ schema }) => schema !== 'pg_catalog');
  if (!calls || !(refusal instanceof StageError)) throw refusal;
  return write;
}

/** Returns why the procedure of a CALL is not staged, unless PostgreSQL refuses the CALL; null if it is. */
export function unstagedProcedure(
  { stagesCalls: form, called }: QueryWrite,
  calls: StagedCalls,
): StageError | null {
  const [procedure] = called;
  if (form !== 'CALL' || procedure === undefined) return null;
  // guard: a procedure that is not staged is not called
  if (calls.replacements.some(({ start }) => start === procedure.start)) return null;
  if (calls.obstacle === null) return refusalError(refusedStatement('CallStmt', {}));
  return new StageError(
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
 * @throws StageError for a statement in which names may move
 */
export function unstagedIn(write: QueryWrite, calls: StagedCalls): Calls {
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

/** Returns the calls of a write that may have effects. @param known the functions that it calls, if these were looked up */
export const callsToCheck = (write: Write, known: StagedCalls | null): Calls =>
  known !== null && write.form === 'query' ? unstagedIn(write, known) : write;

interface LookedUp {
  readonly functions: Pick<FunctionNames, 'replacements' | 'calls' | 'arePlain' | 'unmarkedWriter'>;
  /** The calls of a write that was refused; null for any other write. */
  readonly known: StagedCalls | null;
  /** Whether the staged functions among these are current. */
  readonly isCurrent: boolean;
}

interface HarmlessCalls extends Pick<Rewrite, 'isLasting'>, Pick<StagedCalls, 'replacements'> {
  readonly runsCode: boolean;
}

/**
 * Returns the replacements for the functions without effects that a write calls, so that they read staged rows.
 * @param runsCode whether other functions that it calls may be code of users
 * @returns also whether the result lasts, because anybody may replace a function; and whether any of the functions may be code of users
 * @throws StageError for a function that writes although it is not VOLATILE
 */
export async function harmlessCalls(
  write: Write,
  runsCode: boolean,
  { functions, known, isCurrent }: LookedUp,
): Promise<HarmlessCalls> {
  const called = write.form === 'query' ? write.called : [];
  if (known !== null) {
    const { replacements } = isCurrent ? known : await functions.calls(called);
    return { replacements, isLasting: false, runsCode: true };
  }
  if (!runsCode) return { replacements: [], isLasting: true, runsCode };
  const writer = await functions.unmarkedWriter(called);
  if (writer !== null) throw refusalError(functionRefusal(writer));
  const replacements = await functions.replacements(called, false);
  return { replacements, isLasting: functions.arePlain(called), runsCode };
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
  const spliced = await spliceBody(write, own, names, new Map(), replacements);
  return {
    ...spliced,
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
