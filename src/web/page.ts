/** Entry point of the review page: logs in, then shows the inbox or a session. */
/// <reference lib="dom" />
import { nameCell } from '../client/cell.ts';
import { Fields } from '../client/fields.ts';
import { isSessionId } from '../model/session.ts';
import { button, fill, h } from './dom.ts';
import { faultOf, Refusal, request, saveKey } from './http.ts';
import { openInbox } from './inbox.ts';
import { listen } from './keys.ts';
import type { News } from './live.ts';
import { follow } from './live.ts';
import type { Caller } from './session-view.ts';
import { SessionView } from './session-view.ts';

const live = h('span', { class: 'live', role: 'status' });
const who = h('span', { class: 'who' });
const bar = h('header', { class: 'bar' }, h('a', { href: '/review' }, 'stage review'), live, who);
const main = h('main');

/** Returns the code of a one-time link and removes it from the address. */
function takeCode(): string | null {
  const [, code = null] = /^#code=(.+)$/.exec(location.hash) ?? [];
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/** Logs in with a link. Returns the error, if any. */
async function enter(code: string): Promise<string | null> {
  try {
    const login = new Fields(await request('POST', '/web/login', { code }));
    saveKey(login.required('key'));
    return null;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return `${error.message}.`;
    return faultOf(error);
  }
}

async function readCaller(): Promise<Caller | null> {
  try {
    const fields = new Fields(await request('GET', '/whoami'));
    const role = fields.required('role');
    const operations = fields.list('operations').map(({ text }) => JSON.parse(text) as string);
    const name = fields.text('name');
    fill(who, name === null ? 'no login needed' : `${nameCell(name)}, ${role}`);
    if (name !== null)
      who.append(
        ' ',
        button('Log out', () => void leave()),
      );
    return { name, operations: new Set(operations) };
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

async function leave(): Promise<void> {
  await request('POST', '/web/logout', {});
  saveKey(null);
  location.assign('/review');
}

function askToLogIn(fault: string | null): void {
  fill(
    main,
    h('h1', {}, 'Log in'),
    fault === null ? null : h('p', { class: 'fault' }, fault),
    h('p', {}, 'Make a link with your token, and open it here:'),
    h('pre', {}, 'stage review-link'),
    h(
      'p',
      { class: 'dim' },
      'It is good once, for 15 minutes. This browser then stays logged in for 8 hours.',
    ),
  );
}

function open(caller: Caller): (news: News | null) => void {
  const id = location.pathname.slice('/review/'.length);
  if (!isSessionId(id)) {
    const read = openInbox(main, caller.operations);
    return () => void read();
  }
  const view = new SessionView(main, id, caller);
  void view.read();
  listen(view);
  return (news) => void view.hear(news);
}

async function begin(): Promise<void> {
  document.body.append(bar, main);
  try {
    const code = takeCode();
    let [caller, fault]: [Caller | null, string | null] = [await readCaller(), null];
    // guard: a link of somebody else's does not make one act in their name
    if (caller === null && code !== null) {
      fault = await enter(code);
      caller = await readCaller();
    }
    if (caller === null) return askToLogIn(fault);
    const hear = open(caller);
    follow(hear, (isLive) => {
      live.className = isLive ? 'live on' : 'live';
      fill(live, isLive ? 'live' : 'offline');
    });
  } catch (error) {
    fill(main, h('p', { class: 'fault' }, faultOf(error)));
  }
}

void begin();
