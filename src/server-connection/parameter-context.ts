/** Matches the context of an error in a parameter. PostgreSQL reports portal and number, which for an internal statement are internal. */
import type { ErrorHandler } from './pending-response.ts';
import { step } from './step-messages.ts';

const internalParameter = new RegExp(`portal "${step}" parameter \\$(\\d+)`);

/**
 * Maps errors in the parameters of an internal statement to the client's portal, from which these parameters come.
 * @param before the number of internal parameters before them
 */
export function inPortal(portal: string, before: number, handler: ErrorHandler): ErrorHandler {
  const named = portal === '' ? 'unnamed portal' : `portal "${portal}"`;
  return (fields) => {
    const context = fields.get('W');
    const number = Number(internalParameter.exec(context ?? '')?.[1]) - before;
    if (context === undefined || !(number > 0)) return handler(fields);
    const mapped = context.replace(internalParameter, () => `${named} parameter $${number}`);
    return handler(new Map(fields).set('W', mapped));
  };
}
