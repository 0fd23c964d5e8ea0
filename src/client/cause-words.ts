/** Describes why a change exists. */
import type { Cause, Mutation } from '../model/change.ts';
import { nameCell, textCell } from './cell.ts';
import { sanitize } from './sanitize.ts';
import type { Signs } from './signs.ts';
import { unicodeSigns } from './signs.ts';
import { hiddenInWords } from './words.ts';

/** The longest statement shown, in characters. The mutation log has the whole text. */
const mostText = 300;

/**
 * Describes a cause: `mut_6 by agent: UPDATE products SET price = 12`, or
 * `mut_7 through orders_customer_id_fkey: DELETE ...` for the action of a foreign key, or
 * `mut_8 through the trigger log_price: UPDATE ...`.
 * @param mutation the mutation that the cause names, if the response included it
 */
export function causeInWords(
  cause: Cause,
  mutation: Mutation | undefined,
  signs = unicodeSigns,
): string {
  const { mutationId } = cause;
  const role = mutation ? roleInWords(mutation) : '';
  const by = role === '' ? '' : ` by ${role}`;
  return `${sanitize(mutationId)}${by}${throughInWords(cause)}: ${statementOf(mutation, signs)}`;
}

function throughInWords({ origin, foreignKeys, trigger }: Cause): string {
  if (trigger !== undefined) return ` through the trigger ${nameCell(trigger)}`;
  if (origin !== 'foreign_key') return '';
  const keys = foreignKeys.length === 0 ? 'a foreign key' : foreignKeys.map(nameCell).join(' or ');
  return ` through ${keys}`;
}

/** Returns `web`, or `web (login app)` if the role was set by SET ROLE; empty if it is unknown. */
export function roleInWords({ role, login }: Pick<Mutation, 'role' | 'login'>): string {
  if (role === null) return '';
  return login === null ? textCell(role) : `${textCell(role)} (login ${textCell(login)})`;
}

function statementOf(mutation: Mutation | undefined, { cut }: Signs): string {
  if (mutation === undefined) return 'not in the log';
  if (mutation.query === null) return hiddenInWords;
  const text = [...mutation.query.replaceAll(/\s+/g, ' ').slice(0, 2 * mostText)];
  return sanitize(
    text.length > mostText ? `${text.slice(0, mostText).join('')}${cut}` : text.join(''),
  );
}
