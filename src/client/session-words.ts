/** What a reviewer wants to know of a session at a glance: who made it, for what, and when. */
import type { Session } from '../model/session.ts';
import { textCell, valueCell } from './cell.ts';
import { membersOf } from './fields.ts';

/** Members of the metadata that say by themselves what a session is for. */
const titles = ['title', 'name', 'purpose', 'description', 'reason'];

/** What the session is for, as its metadata says; empty where that says nothing. */
export function titleOf({ metadata }: Session): string {
  const members = membersOf(metadata);
  for (const name of titles) {
    const value = members.get(name);
    if (value?.text.startsWith('"')) return valueCell(value);
  }
  return [...members].map(([name, value]) => `${textCell(name)}=${valueCell(value)}`).join(' ');
}

/** The token that made the session; without one the database roles that staged in it. Empty where neither is known. */
export function authorOf({ createdAs, roles }: Session): string {
  const names = createdAs === null ? roles.filter((role) => role !== null) : [createdAs];
  return names.map(textCell).join(', ');
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** How long ago a time was, in its largest unit. */
export function ageOf(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '';
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** `made by ann for 'Fix prices' 3 h ago`, as far as it is known. */
export function aboutSession(session: Session): string {
  return `made ${makerOf(session)}${ageOf(session.createdAt)} ago`;
}

/** The same for what will be read later: `Made by ann for 'Fix prices' at 2026-01-31T12:00:00Z, proposed.` */
export function originOf(session: Session): string {
  return `Made ${makerOf(session)}at ${session.createdAt}, ${session.status}.`;
}

function makerOf(session: Session): string {
  const [author, title] = [authorOf(session), titleOf(session)];
  return `${author === '' ? '' : `by ${author} `}${title === '' ? '' : `for ${title} `}`;
}
