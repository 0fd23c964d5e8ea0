/** Replaces the names of relations and functions in the body of a trigger, those of its transition tables included. */
import { quoteIdentifier } from '../../identifier.ts';
import type { Trigger } from '../../model/table.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import { textBase } from '../../sql/functions/plpgsql-texts.ts';
import { scanTokens } from '../../sql/parser/parser.ts';
import type { RelationUse } from '../../sql/places.ts';
import { clientQueries } from '../functions/client-query.ts';
import { Obstacle } from '../functions/function-script.ts';
import type { Context } from '../functions/staged-function.ts';
import { replacementsIn } from '../functions/staged-function.ts';
import type { TriggerUses } from './trigger-body.ts';

/**
 * Returns the replacements of a trigger's body.
 * @param uses gets the names in the body
 * @throws Obstacle, or StageError for a relation that cannot be read with staged rows
 */
export async function replacementsOf(
  context: Context,
  trigger: Trigger,
  body: BodyUses,
  uses: TriggerUses,
): Promise<BodyReplacement[]> {
  const isTransition = (use: RelationUse) =>
    use.schema === null && [trigger.oldTable, trigger.newTable].includes(use.name);
  const own = body.relations.filter(isTransition);
  const tokens = own.length > 0 ? scanTokens(Buffer.from(trigger.function.body)) : [];
  const replaced = own.map((use) => replacementFor(trigger, use, tokens));
  const others = { ...body, relations: body.relations.filter((use) => !isTransition(use)) };
  const names = await replacementsIn({ ...context, fires: true }, others, uses);
  return [...names, ...clientQueries(body), ...replaced];
}

type ScanToken = ReturnType<typeof scanTokens>[number];

/**
 * Returns the replacement of a transition table, which is a parameter of the copy. Its name hides tables, as in PostgreSQL, which refuses
 * to write to it.
 */
function replacementFor(
  trigger: Trigger,
  use: RelationUse,
  tokens: readonly ScanToken[],
): BodyReplacement {
  // guard: a transition table is not taken for the table whose name it has
  if (use.target !== null || use.only || use.start >= textBase)
    throw new Obstacle('writes to a transition table');
  const rows = use.name === trigger.newTable ? '_stage_p_new_table' : '_stage_p_old_table';
  const next = tokens.find(({ start }) => start >= use.end);
  const alias = next !== undefined && isAlias(next) ? '' : ` AS ${quoteIdentifier(use.name)}`;
  const text = `(SELECT * FROM pg_catalog.unnest(${rows}))${alias}`;
  return { start: use.start, end: use.end, text };
}

/**
 * Returns whether the token behind a relation begins its alias: AS, or a word that is not reserved. PL/pgSQL has LOOP behind the query of
 * FOR.
 */
function isAlias({ text, tokenName, keywordKind }: ScanToken): boolean {
  const word = text.toLowerCase();
  if (word === 'loop') return false;
  return word === 'as' || tokenName === 'IDENT' || (keywordKind > 0 && keywordKind < firstReserved);
}

/** PostgreSQL's kinds of keywords: those from this one on cannot be an alias without AS. */
const firstReserved = 3;
