/** The HTML file of `stage diff` in a browser: nothing is wider than the window, and no key that fits into a line is broken. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { forms, written } from '../cli/diff/written.ts';
import type { Browser, Tab } from '../helpers/browser.ts';
import { startBrowser } from '../helpers/browser.ts';
import { assert, suite } from '../helpers/suite.ts';

const keys = [
  333,
  10333,
  'fa56b8fc-724c-2a68-1736-c0d122336b98',
  { order_id: 1010333, region: 'us', line: 12 },
  'k'.repeat(40),
  { tenant: 'fa56b8fc-724c-2a68-1736-c0d122336b98', at: '2026-11-28T13:55:26.672586+00:00' },
];

/** An expression for the page: how many lines each key takes. */
const linesOfKeys = `[...document.querySelectorAll('td:first-child code')].map((key) => {
  const range = document.createRange();
  range.selectNodeContents(key);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
})`;

function pageOfKeys(): string {
  const row = { v: 'x'.repeat(500), t: 'word '.repeat(100), stamp: '2026-11-28T13:55:26.672586Z' };
  const changes = keys.flatMap((row_id) => [
    { type: 'INSERT', row_id, before: null, after: row },
    { type: 'DELETE', row_id, before: row, after: null },
  ]);
  const tables = { [`sales.${'t'.repeat(63)}`]: { inserts: 6, updates: 0, deletes: 6, changes } };
  const json = { session_id: 's', digest: `sha256:${'0'.repeat(64)}`, summary: {}, tables };
  return written(forms['html'] as NonNullable<(typeof forms)[string]>, JSON.stringify(json));
}

suite('web: the HTML file of a diff', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-html-'));
  let browser: Browser | undefined;
  let tab: Tab;
  test.before(async () => {
    browser = await startBrowser();
    tab = await browser.open();
    const file = join(folder, 'diff.html');
    writeFileSync(file, pageOfKeys());
    await tab.goTo(pathToFileURL(file).href);
  });
  test.after(async () => {
    await browser?.stop();
    rmSync(folder, { recursive: true });
  });

  // the last key is longer than any line of its cell
  for (const [width, whole] of [
    [1280, 5],
    [768, 5],
    [390, 3],
    [320, 2],
  ] as const) {
    test(`fits into ${width} pixels, and breaks no key that fits into a line`, async () => {
      await tab.look({ width, height: 844 });
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await tab.evaluate(over), 0);
      const lines = await tab.evaluate<number[]>(linesOfKeys);
      assert.is(lines.length, 2 * keys.length);
      assert.equal(
        lines.slice(0, 2 * whole),
        lines.slice(0, 2 * whole).map(() => 1),
      );
      if (width > 600) return;
      // the longest key has the whole line, not a column
      const longest = "document.querySelector('tr:last-child td:first-child code').offsetWidth";
      assert.ok((await tab.evaluate<number>(longest)) > width * 0.75);
    });
  }
});
