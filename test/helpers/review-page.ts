/** Serves the review page to test suites: the REST interface with a few tokens, and a browser that starts with the first tab. */
import { mkdirSync, writeFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Token } from '../../src/model/access.ts';
import type { Browser, Tab } from './browser.ts';
import { startBrowser } from './browser.ts';
import type { Answer, Sent } from './http.ts';
import type { TestRest, TestRestOptions } from './rest.ts';
import { startTestRest, testToken } from './rest.ts';
import type { TestDefiner } from './suite.ts';
import { assert } from './suite.ts';

export interface ReviewPage {
  readonly rest: TestRest;
  /** Tokens of the reviewers ann, bob and gone, and of the author dev. The secret of each is its name. */
  readonly tokens: Token[];
  /** Opens a tab with separate cookies. */
  open(): Promise<Tab>;
  /** Returns a link to a session. */
  linkFor(name: string, id: string): Promise<string>;
  /** Creates a session of dev's, and returns its id. */
  session(metadata?: object): Promise<string>;
  propose(id: string, message?: string): Promise<Answer>;
}

/** Returns the headers and the body of a request with a token. */
export const as = (name: string, json: object = {}): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  json,
});

/** Returns an expression for the page: the text of the first element of a selector. */
export const textOf = (selector: string) =>
  `(document.querySelector('${selector}')?.innerText ?? '')`;

/** An expression for the page: whether it has loaded a session that can be approved. */
export const ready = "document.querySelector('[data-action=approve]')?.disabled === false";

/** Starts everything before the tests of a suite, and stops it after them. */
export function serveReviewPage(test: TestDefiner, options: TestRestOptions = {}): ReviewPage {
  let browser: Browser | undefined;
  const tokens = [
    ...['ann', 'bob', 'gone'].map((name) => testToken({ name, role: 'reviewer' })),
    testToken({ name: 'dev', role: 'author' }),
  ];
  const page = { tokens } as { -readonly [Name in keyof ReviewPage]: ReviewPage[Name] };
  const call = (path: string, name: string, json?: object) =>
    page.rest.call('POST', path, as(name, json));
  page.open = async () => {
    browser ??= await startBrowser();
    return browser.open();
  };
  page.linkFor = async (name, id) => {
    const { status, body } = await call('/web/links', name, { session_id: id });
    assert.is(status, 201);
    return `${page.rest.url}${body.path}`;
  };
  page.session = async (metadata = {}) => (await call('/sessions', 'dev', { metadata })).body.id;
  page.propose = (id, message) =>
    call(`/sessions/${id}/propose`, 'dev', message === undefined ? {} : { message });
  test.before(async () => {
    page.rest = await startTestRest({ tokens, web: { secure: false }, ...options });
  });
  test.after(async () => {
    await browser?.stop();
    await page.rest.stop();
  });
  return page;
}

/** Types into a field of the open dialog. */
export async function answer(tab: Tab, field: string, text: string): Promise<void> {
  await tab.sees(`document.querySelector('dialog ${field}')`);
  await tab.evaluate(`document.querySelector('dialog ${field}').focus()`);
  await tab.type(text);
}

/** Returns the violations of accessibility rules on the page. */
export async function violations(tab: Tab): Promise<unknown> {
  if (!(await tab.evaluate('Boolean(window.axe)'))) await tab.evaluate(`${axe.source}; 0`);
  const found = 'violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])';
  return tab.evaluate(`axe.run().then(({ violations }) => ${found})`);
}

/** Saves a screenshot, if one was requested. */
export async function savePicture(tab: Tab, name: string): Promise<void> {
  const folder = process.env['STAGE_TEST_PICTURES'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.png`, await tab.picture());
}
