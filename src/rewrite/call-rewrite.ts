/** Statements that stage what functions and procedures write which they call. */
import { StageError } from '../errors.ts';
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

/** A write without targets of its own. */
export type CallingWrite = QueryWrite & Required<Pick<QueryWrite, 'stagesCalls'>>;

export const stagesCalls = (write: Write): write is CallingWrite =>
  write.form === 'query' && write.stagesCalls !== undefined;

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

/**
 * Returns the calls of a statement without those of functions that are staged: the effects of these are known.
 * @throws StageError for a CALL of a procedure that is not staged, and for a statement in which names may move
 */
export function unstagedIn(write: CallingWrite, calls: StagedCalls): Calls {
  checkProcedure(write, calls);
  // guard: names in a staged function do not move while the statement runs
  if (calls.writing.length > 0 && changesPath(write.functions)) throw movesNames;
  const { functions, fields, operators, types } = write;
  const isStaged = (name: string, schema: string | null) =>
    calls.writing.some((each) => each.name === name && each.schema === schema);
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
 * Returns the replacements in a statement, and what else it needs.
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
    options: { ...spliced.options, 'stage.called': 'on' },
  };
}

/** The place of a name that is not in the statement's text. */
const nowhere = -1;
