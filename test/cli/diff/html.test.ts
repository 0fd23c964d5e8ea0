/** The diff as one HTML file: whatever the rows contain, its markup is only the program's own, and nothing runs, loads or is sent. */
import { createHash } from 'node:crypto';
import { createHtmlFormat } from '../../../src/cli/diff/html.ts';
import { JsonText } from '../../../src/model/json.ts';
import { createRandom } from '../../helpers/random.ts';
import { assert, suite } from '../../helpers/suite.ts';
import type { Create } from './written.ts';
import { forms, headOf, written } from './written.ts';

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

/** Every tag that the format may write, exactly as it is written. */
const tags = new RegExp(
  [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="[^<>"&]*(?:&#39;[^<>"&]*)*">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width">',
    '<p class="(?:trigger|cut|alarm)">',
    '<td class="long">',
    '<h2 id="t\\d+">',
    '<a href="#t\\d+">',
    '<hr>',
    '</?(?:head|title|style|body|h1|h2|p|table|tr|td|div|code|del|ins|a|ul|li|blockquote|br)>',
    '</html>',
  ].join('|'),
  'g',
);

/** Returns the text of a document, which may contain only the program's own tags. */
function textIn(document: string): string {
  const rest = document.replaceAll(tags, '\u0001');
  assert.not.match(rest, /[<>"'`]/);
  assert.not.match(rest.replaceAll(/&#\d+;/g, ''), '&');
  return rest.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

const title = 'sess_1\'"<x>';
const create: Create = (reader) => createHtmlFormat(reader, title, headOf('Made by <ann>.'));

/** Returns the page of a diff with the value in every place that can hold it. */
function pageOf(table: string, value: string): string {
  const counts = { inserts: 1, updates: 2, deletes: 1, furtherChanges: 0 };
  const side = new JsonText(JSON.stringify(value));
  const sides = { sessionBase: side, sessionNew: side, productionCurrent: side };
  const conflict = { table, rowId: side, field: value, kind: 'changed', ...sides } as const;
  const head = headOf(`Made by ${value}.`, {
    message: value,
    digest: value,
    tables: [
      { table: `${value}1`, ...counts, hidden: true },
      { table, ...counts },
    ],
    conflicts: [conflict, { ...conflict, kind: 'schema', reason: value }],
  });
  return written((reader) => createHtmlFormat(reader, title, head), diffOf(table, value, value));
}

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
      const document = pageOf(value, value);
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
      textIn(pageOf('t', value));
    }
    assert.ok(true);
  });

  test('allows nothing but its own style', () => {
    const document = pageOf('t', 'v');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(document)?.[1];
    const styles = [...document.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    assert.is(styles.length, 2);
    assert.is(
      policy?.replaceAll('&#39;', "'"),
      `default-src 'none'; style-src ${styles.join(' ')}; base-uri 'none'; form-action 'none'`,
    );
    // the policy precedes everything that it applies to
    assert.ok(document.indexOf('Content-Security-Policy') < document.indexOf('<style>'));
    assert.not.match(document, /<script|<link|href="(?!#t\d+")|src=|url\(|@import|style="/i);
  });

  test('begins with who, what for, the message, totals, digest, conflicts, and the tables as links', () => {
    const text = textIn(pageOf('orders', 'paid'));
    const head = text.slice(0, text.indexOf('This page is not whole'));
    const parts = [
      'Made by paid.',
      'paid',
      '2 inserted, 4 updated, 2 deleted in 2 tables',
      'digest paid',
      '! 2 conflicts with production: approval would be refused',
      'orders paid paid: was paid, staged paid, in production paid',
      'paid1\u0001: 1 inserted, 2 updated, 1 deleted',
      'orders\u0001: 1 inserted, 2 updated, 1 deleted',
    ];
    let at = 0;
    for (const part of parts) {
      at = head.indexOf(part, at);
      assert.ok(at >= 0, `${part}\n${head}`);
    }
    const document = pageOf('orders', 'paid');
    const links = [...document.matchAll(/href="#(t\d+)"/g)].map(([, to]) => to);
    assert.equal(links, ['t1', 't2']);
    for (const to of links) assert.ok(document.includes(`<h2 id="${to}">`), to);
  });

  test('keeps the lines of the message', () => {
    assert.match(
      pageOf('orders', 'one\r\ntwo\n\n<b>'),
      '<blockquote>one<br>two<br><br>&#60;b&#62;',
    );
  });

  test('breaks no key that is short, and lays the cells of a row under one another on a phone', () => {
    const row = (row_id: unknown) => {
      const change = { type: 'INSERT', row_id, before: null, after: { id: 1 } };
      const tables = { t: { inserts: 1, updates: 0, deletes: 0, changes: [change] } };
      return written(create, JSON.stringify({ session_id: 's', digest: 'd', summary: {}, tables }));
    };
    const document = row(3333333);
    assert.match(document, /<td>\+ inserted <code>3333333<\/code><\/td>/);
    assert.match(row('k'.repeat(41)), /<td class="long">/);
    assert.match(document, /td:first-child code \{ overflow-wrap: normal; white-space: nowrap \}/);
    assert.match(
      document,
      /@media \(max-width: 40em\) \{ td, td:first-child, td\.long:first-child \{ display: block/,
    );
    assert.match(document, /body \{[^}]*overflow-wrap: anywhere/);
  });

  test('shows of two long texts what differs', () => {
    const words = Array.from({ length: 100 }, (_, at) => `word${at}`);
    const update = (after: string, before = words.join(' ')) => {
      const change = { type: 'UPDATE', row_id: 1, before: { d: before }, after: { d: after } };
      const tables = { t: { inserts: 0, updates: 1, deletes: 0, changes: [change] } };
      return written(create, JSON.stringify({ session_id: 's', digest: 'd', summary: {}, tables }));
    };
    const document = update(words.with(50, '<new>').join(' '));
    assert.match(document, /…[^<]*word49 <del>word50<\/del><ins>&#60;new&#62;<\/ins> word51[^<]*…/);
    assert.not.match(document, /word2 |word97/);
    assert.match(update('all other'), /<del>word0 .*word99<\/del> → <ins>all other<\/ins>/);
    // many small differences, with short passages in common
    const many = update(words.map((word, at) => (at % 5 === 2 ? 'new' : word)).join(' '));
    assert.is(many.match(/<del>word\d+<\/del><ins>new<\/ins>/g)?.length, 20);
    // two differences far apart in a very long text
    const long = Array.from({ length: 5000 }, (_, at) => `w${at}`);
    const apart = update(long.with(1, '<a>').with(4998, '<b>').join(' '), long.join(' '));
    assert.match(
      apart,
      /w0 <del>w1<\/del><ins>&#60;a&#62;<\/ins> w2 [^<]*…[^<]* w4997 <del>w4998<\/del><ins>&#60;b&#62;<\/ins> w4999/,
    );
    assert.not.match(apart, ' w2500 ');
    // texts that share only small words are not woven together
    const other = words.map((_, at) => (at % 5 === 2 ? `word${at}` : `other${at}`)).join(' ');
    assert.match(update(other), /<del>word0 .*word99<\/del> → <ins>other0 .*other99<\/ins>/);
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
