/** Classifies CALL: it may run if everything that the procedure does can be staged. */
import type { CallStmt } from 'libpg-query';
import type { Refusal } from '../../refusal.ts';
import type { Write } from '../../write.ts';
import { plainWrite } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { unknownElement, unreadableName } from '../refused-parts.ts';
import type { Source } from '../relation-uses.ts';

export function classifyCall({ funccall }: CallStmt, source: Source): Write | Refusal {
  if (!funccall) return unknownElement('CALL');
  const { calls, refusal, relations, unclear, called, qualifiers } = collectUses(
    { FuncCall: funccall },
    source,
  );
  if (refusal) return refusal;
  const [procedure] = called;
  // the name of the procedure comes first in the text
  if (procedure === undefined || procedure.start !== (funccall.location ?? 0) - source.offset)
    return unreadableName;
  return plainWrite({ relations, unclear, called, qualifiers, ...calls, stagesCalls: 'CALL' });
}
