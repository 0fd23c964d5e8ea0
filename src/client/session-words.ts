/** Describes a session at a glance: who made it, for what, and when. */

import { membersOf } from '../model/json-members.ts';
import type { Session } from '../model/session.ts';
import { textCell, valueCell } from './cell.ts';

/** Members of the metadata that state what a session is for, in order of preference. */
const titles = ['title', 'name', 'purpose', 'description', 'reason'];

/** Returns what the session is for: the first title in its metadata, else all members; empty if there are none. */
export function titleOf({ metadata }: Session): string {
  const members = membersOf(metadata);
  for (const name of titles) {
    const value = members.get(name);
    if (value?.text.startsWith('"')) return valueCell(value);
  }
  return [...members].map(([name, value]) => `${textCell(name)}=${valueCell(value)}`).join(' ');
}

/** Names the token that made the session, or else the database roles that staged in it; empty if neither is known. */
export function authorOf({ createdAs, roles }: Session): string {
  const names = createdAs === null ? roles.filter((role) => role !== null) : [createdAs];
  return names.map(textCell).join(', ');
}

/**
 * Describes a session beyond its status: when it is applied, or that it went past the policy, and who reviewed that. Empty for any other
 * session.
 */
export function remarkOf(session: Session): string {
  const { applyAt, scheduledAs, breakGlass, reviewDue, reviewedAs } = session;
  if (applyAt !== null)
    return `is applied at ${applyAt}${scheduledAs === null ? '' : `, approved by ${textCell(scheduledAs)}`}`;
  if (breakGlass === null) return '';
  const review = reviewDue ? 'REVIEW DUE' : `reviewed by ${textCell(reviewedAs ?? '')}`;
  return `${review}: approved past the policy: ${textCell(breakGlass)}`;
}

/** Returns the title of a session with the remark, for lists. */
export function labelOf(session: Session): string {
  const [remark, title] = [remarkOf(session), titleOf(session)];
  return remark === '' ? title : `[${remark}] ${title}`.trimEnd();
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** Formats how long ago a time was, in the largest fitting unit. */
export function ageOf(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '';
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** Describes the known facts of a session: `made by ann for 'Fix prices' 3 h ago`. */
export function aboutSession(session: Session): string {
  return `made ${makerOf(session)}${ageOf(session.createdAt)} ago`;
}

/** Describes a session in a text that is read later: `Made by ann for 'Fix prices' at 2026-01-31T12:00:00Z, proposed.` */
export function originOf(session: Session): string {
  return `Made ${makerOf(session)}at ${session.createdAt}, ${session.status}.`;
}

function makerOf(session: Session): string {
  const [author, title] = [authorOf(session), titleOf(session)];
  return `${author === '' ? '' : `by ${author} `}${title === '' ? '' : `for ${title} `}`;
}
