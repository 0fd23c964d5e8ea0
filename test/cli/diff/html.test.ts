/** The diff as one HTML file: whatever the rows hold, its markup is the program's own, and nothing runs, loads or leaves. */
import { createHash } from 'node:crypto';
import { createHtmlFormat } from '../../../src/cli/diff/html.ts';
import { createRandom } from '../../helpers/random.ts';
import { assert, suite } from '../../helpers/suite.ts';
import type { Create } from './written.ts';
import { forms, written } from './written.ts';

const hostile = [
  '<script>alert(1)</script>',
  '</style></title></td><script src=//evil.example></script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '`onmouseover=alert(1)`',
  '--><svg/onload=alert(1)>',
  '<!--',
  ']]><![CDATA[',
  '&lt;script&gt;&amp;#x3c;script',
  '&#60;script&#62;',
  'javascript:alert(1)',
  '<meta http-equiv="refresh" content="0;url=//evil.example">',
  '<base href=//evil.example>',
  '{{constructor.constructor("alert(1)")()}}',
  '\u2028\u2029\u202e\u0000\ufeff<b>',
  '\ud800<i>',
  'javascript&colon;alert(1)',
];

/** Every tag that the form may write, as it writes it. */
const tags = new RegExp(
  [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="[^<>"&]*(?:&#39;[^<>"&]*)*">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width">',
    '<p class="(?:trigger|cut)">',
    '<hr>',
    '</?(?:head|title|style|body|h1|h2|p|table|tr|td|div|code|del|ins)>',
    '</html>',
  ].join('|'),
  'g',
);

/** The text of a document in which nothing but the program's own tags may stand. */
function textIn(document: string): string {
  const rest = document.replaceAll(tags, '\u0001');
  assert.not.match(rest, /[<>"'`]/);
  assert.not.match(rest.replaceAll(/&#\d+;/g, ''), '&');
  return rest.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

const title = 'sess_1\'"<x>';
const create: Create = (reader) => createHtmlFormat(reader, title, 'Made by <ann>.');

function diffOf(table: string, column: string, value: string): string {
  const [before, after] = [{ [column]: 'was' }, { [column]: value }];
  const trigger = { name: value, timing: 'BEFORE', events: ['INSERT'] };
  const changes = [
    { type: 'INSERT', row_id: value, before: null, after },
    { type: 'UPDATE', row_id: { [column]: value }, before, after },
    { type: 'UPDATE', row_id: 3, before: { d: { [value]: value } }, after: { d: { [value]: 1 } } },
    { type: 'DELETE', row_id: 4, before: after, after: null },
  ];
  const counts = { inserts: 1, updates: 2, deletes: 1, triggers: [trigger] };
  const hidden = { inserts: 1, updates: 0, deletes: 0, hidden: true, changes: [] };
  return JSON.stringify({
    session_id: 'sess_1',
    digest: value,
    summary: { total_inserts: 2, total_updates: 2, total_deletes: 1, tables_affected: 2 },
    tables: { [`${value}1`]: hidden, [table]: { ...counts, changes } },
  });
}

suite('diff as html', (test) => {
  for (const value of hostile) {
    test(`shows ${JSON.stringify(value)} as text, wherever it stands`, () => {
      const document = written(create, diffOf(value, value, value));
      const text = textIn(document);
      const shown = value.replaceAll(/[^\x20-\x7e]/g, '');
      if (shown === value) assert.ok(text.includes(value), text);
      for (const sign of '\u0000\u2028\u2029\u202e\ufeff') assert.not.ok(text.includes(sign));
    });
  }

  test('so it does random texts', () => {
    const random = createRandom(7);
    const signs = [...'<>"\'`&;#/=!-[]{}x3cs \n\u202e'];
    for (let round = 0; round < 300; round += 1) {
      const value = Array.from({ length: 12 }, () => signs[random.below(signs.length)]).join('');
      textIn(written(create, diffOf('t', value, value)));
    }
    assert.ok(true);
  });

  test('allows nothing but its own style', () => {
    const document = written(create, diffOf('t', 'c', 'v'));
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(document)?.[1];
    const styles = [...document.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    assert.is(styles.length, 2);
    assert.is(
      policy?.replaceAll('&#39;', "'"),
      `default-src 'none'; style-src ${styles.join(' ')}; base-uri 'none'; form-action 'none'`,
    );
    // the policy stands before everything that it is about
    assert.ok(document.indexOf('Content-Security-Policy') < document.indexOf('<style>'));
    assert.not.match(document, /<script|<link|<a |href|src=|url\(|@import|style="/i);
  });

  test('says that it is not whole until its end takes that back', () => {
    const document = written(create, diffOf('t', 'c', 'v'));
    assert.match(document, /<p class="cut">This page is not whole/);
    assert.match(document, /<style>\.cut \{ display: none \}<\/style><\/body><\/html>\n$/);
  });

  test('is one document, whose tags are closed', () => {
    const document = written(create, diffOf('t', 'c', 'v'));
    for (const tag of [
      'html',
      'head',
      'body',
      'table',
      'tr',
      'td',
      'del',
      'ins',
      'p',
      'h2',
      'div',
    ]) {
      const count = (form: RegExp) => document.match(form)?.length ?? 0;
      const opened = count(new RegExp(`<${tag}[ >]`, 'g'));
      assert.is(opened, count(new RegExp(`</${tag}>`, 'g')), tag);
      assert.ok(opened > 0, tag);
    }
    assert.match(document, /^<!DOCTYPE html>\n/);
    assert.match(document, /<\/body><\/html>\n$/);
  });

  test('shows what text shows: marks, sides, counts, triggers, hidden tables and the digest', () => {
    const text = textIn(written(forms['html'] as Create, diffOf('orders', 'status', 'paid')));
    for (const part of [
      'Made by ann.',
      '+ inserted',
      '~ updated',
      '- deleted',
      'status: \u0001was\u0001 → \u0001paid\u0001',
      'd.paid: \u0001"paid"\u0001 → \u00011\u0001',
      '1 inserted, 2 updated, 1 deleted',
      "at approval runs production's trigger paid (BEFORE INSERT)",
      '1 change hidden',
      'digest paid',
    ])
      assert.ok(text.includes(part), part);
    const none = '{"session_id":"sess_1","digest":"sha256:0","summary":{},"tables":{}}';
    assert.match(textIn(written(create, none)), 'No changes.');
  });
});
