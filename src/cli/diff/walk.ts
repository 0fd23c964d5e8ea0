/** `stage diff --patch`: shows one change after the other. Reviewed changes are marked; the terminal interface shows the marks, too. */
import { keyCell, tableCell } from '../../client/cell.ts';
import type { Marks } from '../../client/marks.ts';
import { isMarked, markKey, witnessOf } from '../../client/marks.ts';
import { changesHidden, furtherExplained, furtherInWords } from '../../client/words.ts';
import { StageError } from '../../errors.ts';
import type { NumberedChange, Operation, TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { Connection, Context } from '../context.ts';
import { grouped } from '../progress.ts';
import type { Questions } from '../prompt.ts';
import { hasTerminal, openQuestions } from '../prompt.ts';
import { readMarks, saveMarks } from '../review-marks.ts';
import { changeLines } from './text.ts';
import type { TextMode } from './text-modes.ts';

export interface WalkOptions {
  readonly table?: string;
  readonly filter?: Operation;
  readonly mode?: TextMode;
}

/** The changes per request. */
const page = 200;

const help = `y  reviewed: mark it, and go on
n  not in order: flag it, and go on
a  this one and the rest of this table are reviewed
/  and a text: go on to the next change that has it
q  stop
?  this help
Nothing is approved or rejected here: a session is applied as a whole, or not at all.`;

/**
 * Walks through the unmarked changes.
 * @throws StageError `usage` without a terminal
 */
export async function walk(
  context: Context,
  connection: Connection,
  id: string,
  options: WalkOptions,
): Promise<void> {
  if (!hasTerminal(context.host, context.out)) {
    throw new StageError('usage', 'there is no terminal to ask about each change at', {
      hint: 'See all of them with `stage diff`.',
    });
  }
  const { server } = connection.settings;
  const { tables } = (await connection.api.readOutline(id)).value;
  const walker = new Walker(context, await readMarks(context.host, server, id), options.mode);
  const { furtherChanges } = stepCountsOf(tables);
  if (furtherChanges > 0)
    await context.out.note(`${furtherInWords(furtherChanges)} besides. ${furtherExplained}`);
  const questions = await openQuestions(context.host, connection.interruption);
  try {
    for (const table of tables) {
      if (options.table !== undefined && table.table !== options.table) continue;
      if (table.hidden) await walker.pass(table);
      for await (const change of changesOf(connection, id, table, options.filter))
        if (!(await walker.meet(change, table, questions))) return;
    }
  } finally {
    questions.close();
    await saveMarks(context.host, server, id, walker.marks).catch((error: Error) =>
      context.out.note(`warning: the marks cannot be saved: ${error.message}`),
    );
    await walker.sumUp(id);
  }
}

async function* changesOf(
  { api }: Connection,
  id: string,
  { table }: TableOutline,
  type: Operation | undefined,
): AsyncGenerator<NumberedChange> {
  for (let cursor = '0'; ; ) {
    const { changes } = (await api.listChanges(id, { table, type, cursor, limit: page })).value;
    yield* changes;
    const last = changes.at(-1);
    if (last === undefined) return;
    cursor = last.number;
  }
}

/** The progress of the walk, and the reviewer's answers. */
class Walker {
  readonly #context: Context;
  readonly #marks: Map<string, string>;
  readonly #mode: TextMode;
  readonly #flagged: NumberedChange[] = [];
  #reviewed = 0;
  #table: string | null = null;
  /** The table whose remaining changes are all reviewed. */
  #whole: string | null = null;
  /** The text to search for. */
  #wanted = '';

  constructor(context: Context, marks: Marks, mode: TextMode = 'stacked') {
    this.#context = context;
    this.#marks = new Map(marks);
    this.#mode = mode;
  }

  get marks(): Marks {
    return this.#marks;
  }

  /** Reports that a table's changes are hidden. */
  async pass(table: TableOutline): Promise<void> {
    const { out } = this.#context;
    await out.lines([
      out.paint('heading', tableCell(table.table)),
      `  ${changesHidden(stepCountsOf([table]))}`,
    ]);
  }

  /** Shows a change and asks about it. Returns whether to continue. */
  async meet(
    change: NumberedChange,
    { columns }: TableOutline,
    questions: Questions,
  ): Promise<boolean> {
    if (isMarked(this.#marks, change)) return true;
    if (this.#whole === change.table) return this.#mark(change);
    if (!textOf(change).includes(this.#wanted)) return true;
    this.#wanted = '';
    await this.#show(change, columns);
    for (;;) {
      const goesOn = this.#take(change, (await questions.ask('Reviewed? [y,n,a,q,/,?] ')) ?? 'q');
      if (goesOn !== null) return goesOn;
      await this.#context.out.note(help);
    }
  }

  /** Carries out an answer. Returns whether to continue; null for an invalid answer. */
  #take(change: NumberedChange, answer: string): boolean | null {
    if (answer === 'q') return false;
    if (answer === 'n') this.#flagged.push(change);
    else if (answer.length > 1 && answer.startsWith('/'))
      this.#wanted = answer.slice(1).toLowerCase();
    else if (answer === 'y' || answer === 'a') {
      this.#whole = answer === 'a' ? change.table : this.#whole;
      this.#mark(change);
    } else return null;
    return true;
  }

  /** Prints a summary and the next commands. */
  async sumUp(id: string): Promise<void> {
    const { out } = this.#context;
    const flagged = this.#flagged.map(
      ({ table, rowId }) => `  ! ${tableCell(table)} ${keyCell(rowId)}`,
    );
    await out.lines([
      `${grouped(this.#reviewed)} reviewed, ${grouped(flagged.length)} flagged`,
      ...flagged,
    ]);
    await out.remark(
      flagged.length > 0
        ? `Next: stage reject ${id}`
        : `Next: stage diff ${id}, stage approve ${id}`,
    );
  }

  async #show(change: NumberedChange, columns: TableOutline['columns']): Promise<void> {
    const { out } = this.#context;
    const heading =
      change.table === this.#table ? [] : [out.paint('heading', tableCell(change.table))];
    this.#table = change.table;
    await out.lines([...heading, ...changeLines({ ...change, columns }, out.paint, this.#mode)]);
  }

  #mark(change: NumberedChange): true {
    this.#marks.set(markKey(change), witnessOf(change));
    this.#reviewed += 1;
    return true;
  }
}

const textOf = ({ before, after }: NumberedChange) =>
  `${before?.text ?? ''}\n${after?.text ?? ''}`.toLowerCase();
