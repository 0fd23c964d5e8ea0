/** The head of a session's view: what it is, and what its changes mean. */
/// <reference lib="dom" />
import type { Card } from '../client/brief.ts';
import { isLeftOut, readCard } from '../client/brief.ts';
import { briefSentences, flagsInWords } from '../client/brief-words.ts';
import { tableCell } from '../client/cell.ts';
import { ageOf, authorOf, remarkOf, titleOf } from '../client/session-words.ts';
import { countsInWords } from '../client/words.ts';
import type { Brief } from '../model/brief.ts';
import type { Outline } from '../model/change.ts';
import { stepCountsOf } from '../model/change.ts';
import type { SessionPolicy } from '../model/policy.ts';
import type { Session } from '../model/session.ts';
import { shortId } from '../model/session.ts';
import type { Child } from './dom.ts';
import { h } from './dom.ts';
import { Refusal, request } from './http.ts';
import { policyView } from './votes.ts';

/** The contents of a head. */
interface Shown {
  readonly session: Session;
  readonly digest: string | null;
  readonly outline: Outline | null;
  readonly policy: SessionPolicy | null;
}

export function headOf({ session, digest, outline, policy }: Shown): Child[] {
  const [title, author] = [titleOf(session), authorOf(session)];
  const by = author === '' ? [] : [`by ${author}`];
  return [
    h(
      'h1',
      {},
      title === '' ? `Session ${shortId(session.id)}` : title,
      ' ',
      h('span', { class: `status ${session.status}` }, session.status),
    ),
    h('p', { class: 'dim' }, [session.id, ...by, `${ageOf(session.createdAt)} old`].join(' · ')),
    h(
      'p',
      {},
      outline === null ? 'Counting…' : countsInWords(stepCountsOf(outline.tables)),
      outline === null
        ? ''
        : ` in ${outline.tables.map(({ table }) => tableCell(table)).join(', ')}`,
    ),
    h('p', { class: 'digest' }, digest ?? 'digest not known yet'),
    session.reason === null ? null : h('p', {}, `Reason: ${session.reason}`),
    remarkOf(session) === ''
      ? null
      : h('p', { class: 'flag' }, `${session.applyAt === null ? '' : 'It '}${remarkOf(session)}.`),
    session.splitFrom && h('p', {}, linkTo('Split from ', session.splitFrom)),
    session.remaining &&
      h('p', {}, linkTo('Only a part was approved. The rest is in ', session.remaining)),
    ...policyView(policy),
  ];
}

/** Returns a text with a link to another session. */
export const linkTo = (text: string, id: string | null): Child =>
  id === null
    ? null
    : h('span', {}, text, h('a', { href: `/review/${id}` }, `session ${shortId(id)}`));

/** Reads the card; null if the diff is shown without it. */
export async function readCardOf(id: string): Promise<Card | null> {
  try {
    return readCard(await request('GET', `/sessions/${id}/card`));
  } catch (error) {
    if (error instanceof Refusal && isLeftOut(error.code)) return null;
    throw error;
  }
}

/** Returns a list of what is unusual, and what changed in each column. */
export function briefView(brief: Brief | null): Child[] {
  if (brief === null) return [];
  const flags = flagsInWords(brief).map((flag) => h('li', { class: 'flag' }, flag));
  const said = briefSentences(brief).flatMap(({ table, sentences }) =>
    sentences.map((sentence) => h('li', {}, h('b', {}, table), ` ${sentence}`)),
  );
  if (flags.length + said.length === 0) return [];
  // it scrolls, so the keyboard has to reach it
  const list = { tabindex: '0', 'aria-label': 'What the changes mean' };
  return [h('ul', list, ...flags, ...said)];
}
