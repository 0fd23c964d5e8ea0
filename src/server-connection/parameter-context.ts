/** The context of an error in a parameter: PostgreSQL names its portal and number, which in a statement of ours are our own. */
import type { ErrorHandler } from './pending-response.ts';
import { step } from './step-messages.ts';

const ownParameter = new RegExp(`portal "${step}" parameter \\$(\\d+)`);

/**
 * Has errors of a statement of ours tell the client's own portal, whose parameters it is given.
 * @param before how many parameters of ours come before them
 */
export function inPortal(portal: string, before: number, handler: ErrorHandler): ErrorHandler {
  const named = portal === '' ? 'unnamed portal' : `portal "${portal}"`;
  return (fields) => {
    const context = fields.get('W');
    const number = Number(ownParameter.exec(context ?? '')?.[1]) - before;
    if (context === undefined || !(number > 0)) return handler(fields);
    const told = context.replace(ownParameter, () => `${named} parameter $${number}`);
    return handler(new Map(fields).set('W', told));
  };
}
