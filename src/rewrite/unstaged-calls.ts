/** Why functions that statements call are not staged, for the hint of the error that PostgreSQL reports when they write. */
import { readsNothing } from '../overlay/functions/known-functions.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';
import type { ErrorFields } from '../wire/error-fields.ts';

/** Maximum number of names, to bound memory; applications use fewer. */
const maxKnown = 10_000;

export class UnstagedCalls {
  /** The last known hints, by the names of the functions as statements call them. */
  private readonly hints = new Map<string, string>();

  /** Notes what was found for a name. */
  note(call: QualifiedName, found: FoundFacts): void {
    const hint = hintFor(call, found);
    if (hint === null) this.hints.delete(keyOf(call));
    else if (this.hints.size < maxKnown) this.hints.set(keyOf(call), hint);
  }

  /** Returns whether nothing is known, so that no call needs to be looked up. */
  get isEmpty(): boolean {
    return this.hints.size === 0;
  }

  /** Returns the hint for the error of a write in a statement with these calls; null if its function is not among them, or is staged. */
  hintAmong(called: readonly QualifiedName[], error: ErrorFields): string | null {
    const context = error.get('W') ?? '';
    const unstaged = called.filter((call) => this.hints.has(keyOf(call)));
    const found = unstaged.find(({ name }) => isNamedIn(context, name));
    // other languages than SQL and PL/pgSQL need not name the function
    const call = found ?? (/function/i.test(context) ? undefined : unstaged[0]);
    return (call && this.hints.get(keyOf(call))) ?? null;
  }
}

/** The facts on which the hint depends: whether a function writes, why it is not staged, and the schema of its staged functions. */
interface FoundFacts {
  readonly writes: boolean;
  readonly obstacle: string | null;
  readonly schema: string | null;
}

function hintFor({ name }: QualifiedName, { writes, obstacle, schema }: FoundFacts): string | null {
  if (obstacle !== null) {
    // such a function writes by what it calls
    const reason = obstacle === readsNothing ? 'calls code that is not staged' : obstacle;
    return `Function ${name}() cannot be staged, and so may only read: it ${reason}. ${nextStep}`;
  }
  if (!writes || schema === null) return null;
  return `What function ${name}() writes is staged where a SELECT, CALL, INSERT, UPDATE or DELETE calls it: not in EXECUTE, EXPLAIN, cursors and queries that lock rows.`;
}

const nextStep =
  'Run its INSERT, UPDATE and DELETE statements themselves. `stage doctor` lists the functions that are not staged.';

const isNamedIn = (context: string, name: string) =>
  [` ${name}(`, `.${name}(`, `"${name}"`].some((form) => context.includes(form));

const keyOf = ({ schema, name }: QualifiedName) => JSON.stringify([schema, name]);
