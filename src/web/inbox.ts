/** The list of sessions by status. */
/// <reference lib="dom" />
import { readBrief } from '../client/brief.ts';
import { flagsInWords } from '../client/brief-words.ts';
import { tableCell } from '../client/cell.ts';
import { readSession } from '../client/decode.ts';
import { Fields } from '../client/fields.ts';
import { ageOf, authorOf, labelOf } from '../client/session-words.ts';
import { countsInWords } from '../client/words.ts';
import { stepSumOf } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import { sessionStatuses, shortId } from '../model/session.ts';
import type { Child } from './dom.ts';
import { button, counted, fill, h } from './dom.ts';
import { faultOf, request, withQuery } from './http.ts';

const perPage = 50;

/** The cursors of the pages up to the one that is shown; the first page has none. */
type Cursors = readonly (string | undefined)[];

/** The tab of approvals past the policy that nobody else has reviewed. */
const due = 'review due';

/** Returns the tabs: the states of sessions, and what the caller may review afterwards. */
const tabsFor = (operations: ReadonlySet<string>): string[] => [
  'proposed',
  ...sessionStatuses.filter((each) => each !== 'proposed'),
  ...(operations.has('reviewSession') ? [due] : []),
];

/**
 * Fills a region with the inbox. Returns the function that reloads it.
 * @param operations names of the operations that the caller is allowed
 */
export function openInbox(region: Element, operations: ReadonlySet<string>): () => Promise<void> {
  let status = 'proposed';
  let cursors: Cursors = [undefined];
  /** Number of the current load; results of an earlier one are dropped. */
  let reading = 0;
  const list = h('ol', { class: 'sessions', 'aria-label': 'Sessions' });
  const pager = h('p', { class: 'pager' });
  const tabs = h('div', { class: 'tabs' });
  fill(region, h('h1', {}, 'Sessions'), tabs, list, pager);
  const turnTo = (to: Cursors) => {
    cursors = to;
    void read();
  };
  const choose = (next: string) => {
    status = next;
    turnTo([undefined]);
  };
  const read = async () => {
    fill(
      tabs,
      ...tabsFor(operations).map((each) =>
        button(each, () => choose(each), { 'aria-pressed': String(each === status) }),
      ),
    );
    reading += 1;
    const turn = reading;
    try {
      const path = withQuery('/sessions', {
        ...(status === due ? { review_due: 'true' } : { status }),
        limit: perPage,
        cursor: cursors.at(-1),
        card: 'true',
      });
      const page = new Fields(await request('GET', path));
      if (turn !== reading) return;
      const none = h('li', { class: 'none' }, noneIn(status));
      const sessions = page.list('sessions');
      fill(list, ...(sessions.length === 0 ? [none] : sessions.map(entryOf)));
      fill(pager, ...pagerOf(page, cursors, turnTo));
    } catch (error) {
      if (turn === reading) fill(list, h('li', { class: 'fault' }, faultOf(error)));
    }
  };
  void read();
  return read;
}

function pagerOf(page: Fields, cursors: Cursors, turnTo: (to: Cursors) => void): Child[] {
  const next = page.text('next_cursor');
  return [
    counted(page.number('total_count'), 'session'),
    cursors.length > 1 ? button('Newer', () => turnTo(cursors.slice(0, -1))) : null,
    next === null ? null : button('Older', () => turnTo([...cursors, next])),
  ];
}

const noneIn = (tab: string) =>
  tab === due ? 'No approval is to be reviewed.' : `No session is ${tab}.`;

function entryOf(json: JsonText): HTMLLIElement {
  const session = readSession(json);
  const { id, projectId, mutationCount, round, updatedAt } = session;
  const author = authorOf(session);
  const title = labelOf(session);
  return h(
    'li',
    {},
    h(
      'a',
      { href: `/review/${id}` },
      h('b', {}, title === '' ? `Session ${shortId(id)}` : title),
      h(
        'span',
        { class: 'dim' },
        [
          ...(author === '' ? [] : [`by ${author}`]),
          `in ${projectId}`,
          counted(mutationCount, 'statement'),
          ...(round > 1 ? [`round ${round}`] : []),
          `${ageOf(updatedAt)} ago`,
        ].join(' · '),
      ),
      ...cardOf(json),
    ),
  );
}

/** A card in the inbox shows at most this many flags. */
const mostFlags = 3;

/** Returns the lines of a session's stored card: what it changes, and what is unusual; none if there is no card. */
function cardOf(json: JsonText): Child[] {
  const stored = new Fields(json).json('card');
  if (stored === null) return [];
  const brief = readBrief(stored);
  const names = brief.tables.map(({ table }) => tableCell(table)).join(', ');
  const flags = flagsInWords({ ...brief, overlaps: [] });
  const more = flags.length > mostFlags ? [`${flags.length - mostFlags} more`] : [];
  const shown = [...flags.slice(0, mostFlags), ...more].join(' · ');
  const where = brief.tables.length === 0 ? '' : ` in ${names}`;
  return [
    h('span', {}, `${countsInWords(stepSumOf(brief.tables))}${where}`),
    shown === '' ? null : h('span', { class: 'flag' }, shown),
  ];
}
