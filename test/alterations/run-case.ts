/** Runs a case through the proxy and on the twin, up to the first response that differs, and approves what is staged. */

import { backend } from '../../src/wire/message-codes.ts';
import type { Statement } from '../fuzz/statement.ts';
import { plainStatement } from '../fuzz/statement.ts';
import { responseTo } from '../fuzz/wire-response.ts';
import type { TestDatabase } from '../helpers/database.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire, p, s } from '../helpers/wire-script.ts';
import type { Field } from './field.ts';
import type { Case, Moment, Said } from './random-case.ts';

export interface Difference {
  readonly text: string;
  readonly direct: readonly string[];
  readonly staged: readonly string[];
}

/**
 * How a case ended. `refused`: a statement that docs/limits.md lists. `apart`: only one side could make the alteration, because of rows or
 * locks. `conflict`: the approval reports one.
 */
export type End = 'approved' | 'conflict' | 'refused' | 'apart' | 'ended' | 'different';

export interface Outcome {
  readonly end: End;
  readonly difference: Difference | null;
  /** Statements with equal responses. */
  readonly alike: number;
  /** Errors in those. */
  readonly failed: number;
}

/** Stops a case whose sides can no longer be compared. */
class Stop extends Error {
  readonly end: End;
  readonly difference: Difference | null;
  constructor(end: End, difference: Difference | null = null) {
    super(end);
    this.end = end;
    this.difference = difference;
  }
}

interface Sides {
  readonly staged: WireClient;
  readonly direct: WireClient;
}

const isRefusal = (reported: readonly string[]) =>
  reported.some((line) =>
    / C=(?:0A000|55006|ST\d\d\d) | C=55P03 M=the overlay of a table /.test(line),
  );
/** The owner of the table may not use the schema of the other table. */
const ofForeignKey = / C=42501 M=permission denied for schema .* q=SELECT 1 FROM ONLY/;
const asksAgain = (reported: readonly string[]) => reported.some((line) => / C=40001 /.test(line));

/** A prepared statement does not ask for the right to its schema again; the service's own does. */
const comparable = (reported: readonly string[], moment: Moment) =>
  moment === 'parsed' || moment === 'prepared'
    ? reported.map((line) => line.replace(/^(E .* C=42501) .*/s, '$1'))
    : reported;

export async function runCase(field: Field, drawn: Case): Promise<Outcome> {
  const place = await field.prepare(drawn);
  const counts = { alike: 0, failed: 0 };
  const sides = {
    staged: await connectWire(place.stagedUrl),
    direct: await connectWire(place.directUrl),
  };
  try {
    await new Play(place, sides, drawn, counts).run();
    if (!(await place.approve())) return { end: 'conflict', difference: null, ...counts };
    const [staged, direct] = [
      await place.contents(field.database),
      await place.contents(field.twin),
    ];
    // Triggers that were altered meanwhile fire at approval as they are now: docs/limits.md.
    const isSame = drawn.alteration.ofTriggers || JSON.stringify(staged) === JSON.stringify(direct);
    const difference = isSame ? null : { text: 'the approval', ...unlike(direct, staged) };
    return { end: isSame ? 'approved' : 'different', difference, ...counts };
  } catch (error) {
    if (error instanceof Stop) return { end: error.end, difference: error.difference, ...counts };
    throw error;
  } finally {
    sides.staged.close();
    sides.direct.close();
    await place.undo();
  }
}

type Place = Awaited<ReturnType<Field['prepare']>>;
type Counts = { alike: number; failed: number };

/** The name of the statement that is prepared; made once. */
interface Kept {
  readonly name: string;
  readonly isMade: boolean;
}

class Play {
  private readonly place: Place;
  private readonly sides: Sides;
  private readonly drawn: Case;
  private readonly counts: Counts;

  constructor(place: Place, sides: Sides, drawn: Case, counts: Counts) {
    this.place = place;
    this.sides = sides;
    this.drawn = drawn;
    this.counts = counts;
  }

  async run(): Promise<void> {
    const { moment, before, around, after } = this.drawn;
    const isKept = moment === 'prepared' || moment === 'parsed';
    if (moment === 'late in a block') await this.plain('BEGIN');
    for (const said of before) await this.both(said);
    if (moment === 'block') await this.begin();
    if (moment === 'prepared') await this.both(around, { name: 'kept', isMade: false });
    if (moment === 'parsed') await parse(this.sides, this.place.named(around.text));
    if (!(await this.place.alter())) throw new Stop('apart');
    await this.both(around, isKept ? { name: 'kept', isMade: true } : null);
    for (const said of after) await this.both(said);
    if (moment.endsWith('block')) await this.plain('COMMIT');
  }

  private async begin(): Promise<void> {
    await this.plain('BEGIN');
    await this.plain('SELECT count(*) FROM $s.history');
  }

  private plain(text: string): Promise<void> {
    return this.both({ text, isSet: false, isExtended: false });
  }

  private async both({ text: given, isSet, isExtended }: Said, prepared: Kept | null = null) {
    const text = this.place.named(given);
    const compared = isSet ? 'any violation' : 'all';
    const parameters = isExtended || prepared ? [] : null;
    const statement: Statement = { ...plainStatement(text, parameters), compared, prepared };
    const staged = await this.staged(statement);
    const direct = await responseTo(this.sides.direct, statement);
    if (direct.some((line) => ofForeignKey.test(line))) throw new Stop('refused');
    const [one, other] = [staged, direct].map((reported) =>
      comparable(reported, this.drawn.moment),
    );
    if (JSON.stringify(one) !== JSON.stringify(other))
      throw new Stop('different', { text, direct, staged });
    this.counts.alike += 1;
    if (direct.some((line) => line.startsWith('E '))) this.counts.failed += 1;
  }

  /** Sends it through the proxy; outside of blocks again where it asks for that. */
  private async staged(statement: Statement): Promise<string[]> {
    let reported = await responseTo(this.sides.staged, statement);
    for (let tries = 0; tries < 3 && asksAgain(reported) && reported.at(-1) === 'Z I'; tries += 1)
      reported = await responseTo(this.sides.staged, statement);
    if (isRefusal(reported)) throw new Stop('refused');
    if (asksAgain(reported)) throw new Stop('ended');
    return reported;
  }
}

/** Parses a statement on both sides. An error of the statement is one of both, and ends the case. */
async function parse({ staged, direct }: Sides, text: string): Promise<void> {
  const failed: boolean[] = [];
  for (const client of [staged, direct]) {
    client.send(p(text, 'kept'), s);
    const answers = await client.readTo(backend.readyForQuery);
    failed.push(answers.some(({ type }) => type === backend.errorResponse));
  }
  if (failed[0] || failed[1]) throw new Stop(failed[0] === failed[1] ? 'ended' : 'refused');
}

/** Returns the rows that only one of the sides has. */
const unlike = (direct: readonly string[], staged: readonly string[]) => ({
  direct: direct.filter((row) => !staged.includes(row)),
  staged: staged.filter((row) => !direct.includes(row)),
});

/** Makes the alteration in both databases. Returns whether both did, or neither. */
export async function alterBoth(
  databases: readonly TestDatabase[],
  text: string,
): Promise<boolean> {
  const isMade: boolean[] = [];
  for (const { query } of databases)
    isMade.push(
      await query(`SET LOCAL lock_timeout = 1000; ${text}`).then(
        () => true,
        () => false,
      ),
    );
  return isMade.every((made) => made === isMade[0]);
}
