/** Determines the replacements in a statement that reads or writes staged rows, and its other needs, by its form. */

import { lastNumberCalls } from '../sql/functions/last-numbers.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import { isWithin } from '../sql/splice.ts';
import type { CopyWrite, QueryWrite, Write } from '../sql/write.ts';
import type { Arbiters } from './arbiters.ts';
import { copyOptions } from './copy-columns.ts';
import type { CallReplacement } from './function-names.ts';
import { claimingParts } from './lock-rewrite.ts';
import type { MergeFill } from './merge-fill.ts';
import { findMerge, mergedInto, mergeFill } from './merge-fill.ts';
import { groupingReplacements, nameReplacement, qualifierText } from './name-replacements.ts';
import { fixedReplacements } from './query-planner.ts';
import type { Names } from './relation-names.ts';
import type { Named } from './stageable.ts';
import { stagedPart } from './temporary.ts';
import { truncateCall } from './truncate-call.ts';
import { blankConflicts, hidesParameters, writeOptions } from './write-options.ts';

export interface SplicedBody {
  /** Places are in bytes from the start of the statement's text. */
  readonly replacements: readonly Replacement[];
  /** Settings for the statement's triggers. */
  readonly options: Readonly<Record<string, string | object>>;
  /** Whether some parameters are visible only to the triggers. */
  readonly hidesParameters: boolean;
  /** Whether the text that is sent reports types and errors differently from the client's own text. */
  readonly explainsOriginal: boolean;
  /** Fills the temporary table on which a MERGE runs, if it cannot run on the overlay. */
  readonly fill: MergeFill | null;
}

/** The properties of a statement that needs only replacements. */
export const nothingElse = {
  options: {},
  hidesParameters: false,
  explainsOriginal: false,
  fill: null,
};

/**
 * Returns the replacements in a statement, and its other needs.
 * @param arbiters those of its ON CONFLICT clauses
 * @param calls the replacements of the functions that it calls
 * @throws StageError for a clause that cannot be staged
 */
export async function spliceBody(
  body: Read | Write,
  named: readonly Named[],
  names: Names,
  arbiters: Arbiters,
  calls: readonly CallReplacement[],
): Promise<SplicedBody> {
  if (body.kind === 'read') {
    const replacements = await nameReplacements(body, named, names);
    const fixed = fixedReplacements(body);
    return { ...nothingElse, replacements: [...fixed, ...replacements, ...calls] };
  }
  switch (body.form) {
    case 'truncate':
      return { ...nothingElse, replacements: [truncateCall(body)] };
    case 'copy': {
      const replacements = await nameReplacements(body, named, names);
      return { ...nothingElse, replacements, options: copyOptions(body, named) };
    }
    case 'query':
      return spliceQuery(body, named, names, arbiters, calls);
    case 'definition':
      throw new Error('a definition is not staged');
  }
}

async function spliceQuery(
  whole: QueryWrite,
  named: readonly Named[],
  names: Names,
  arbiters: Arbiters,
  calls: readonly CallReplacement[],
): Promise<SplicedBody> {
  const write = stagedPart(whole, named);
  const replaced = [...(await nameReplacements(write, named, names)), ...calls];
  const conflicts = blankConflicts(write);
  const outside = replaced.filter((name) => !conflicts.some((clause) => isWithin(name, clause)));
  const claims = claimingParts(write, named);
  const replacements = [...fixedReplacements(write), ...conflicts, ...claims, ...outside];
  const merge = findMerge(write, named);
  const hides = hidesParameters(write);
  return {
    replacements: merge === null ? replacements : mergedInto(merge, write.qualifiers, replacements),
    options: writeOptions(write, named, replaced, arbiters),
    hidesParameters: hides,
    explainsOriginal: hides || merge !== null,
    fill: merge && mergeFill(merge, replacements, await names.assess(merge.merge)),
  };
}

/** Returns the replacements of the names of the statement's tables, wherever they occur. */
async function nameReplacements(
  body: Read | QueryWrite | CopyWrite,
  named: readonly Named[],
  names: Names,
): Promise<Replacement[]> {
  const owners = await names.resolve(
    body.qualifiers.map(({ schema, name }) => ({ schema, name, only: true })),
  );
  const qualifiers = body.qualifiers.flatMap(({ start, end }, index) => {
    const text = qualifierText(owners[index], named, body);
    return text === null ? [] : [{ start, end, text }];
  });
  return [
    ...named.flatMap((each) => nameReplacement(each, body)),
    ...qualifiers,
    ...('groupings' in body ? groupingReplacements(named, body) : []),
    ...(body.kind === 'write' && body.form === 'query' ? lastNumberCalls(body.called) : []),
  ];
}
