/** Classifies DO: it may run if everything that its block does can be staged. */
import type { DefElem, DoStmt, Node } from 'libpg-query';
import type { Refusal } from '../../refusal.ts';
import type { Write } from '../../write.ts';
import { plainWrite } from '../plain-verdicts.ts';
import { refusedStatement } from '../refused-statements.ts';
import type { Source } from '../relation-uses.ts';

export function classifyDo({ args = [] }: DoStmt, { text }: Source): Write | Refusal {
  const bodies = valuesOf(args, 'as');
  const [body] = bodies;
  const isPlpgsql = valuesOf(args, 'language').every((language) => language === 'plpgsql');
  // guard: only blocks in PL/pgSQL are followed
  if (body === undefined || bodies.length > 1 || !isPlpgsql) return refusedStatement('DoStmt', {});
  return plainWrite({ stagesCalls: 'DO', block: { start: 0, end: text.length, body } });
}

/** Returns the texts that an option of the statement gives. */
function valuesOf(args: readonly Node[], option: string): string[] {
  const options = args.flatMap((node) => ('DefElem' in node ? [node.DefElem as DefElem] : []));
  return options.flatMap(({ defname, arg }) =>
    defname === option && arg && 'String' in arg ? [arg.String.sval ?? ''] : [],
  );
}
