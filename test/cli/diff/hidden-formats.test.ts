/** Formats of a diff print only counts of tables of which they receive only counts. */
import { createSqlFormat } from '../../../src/cli/diff/sql.ts';
import { furtherExplained } from '../../../src/client/words.ts';
import { assert, suite } from '../../helpers/suite.ts';
import type { Create } from './written.ts';
import { forms, text, written } from './written.ts';

suite('diff with hidden tables', (test) => {
  const hidden =
    `{"digest":"sha256:ab","summary":{"total_inserts":1,"total_deletes":2,"tables_affected":2,"further_changes":3},"tables":{` +
    `"a|b":{"inserts":0,"updates":0,"deletes":2,"further_changes":3,"hidden":true,"changes":[]},` +
    `"t":{"inserts":1,"updates":0,"deletes":0,"changes":[{"type":"INSERT","row_id":1,"before":null,"after":{"id":1}}]}}}`;
  const sentence = "5 changes hidden: your token's database roles may not read this table";

  test('says of hidden tables how many changes they have', () => {
    assert.equal(written(text(), hidden).split('\n'), [
      '"a|b"',
      `  ${sentence}`,
      '  0 inserted, 0 updated, 2 deleted, 3 further changes',
      '',
      't',
      '  + 1  id: 1',
      '  1 inserted, 0 updated, 0 deleted',
      '',
      '1 of 3 changes shown',
      '1 inserted, 0 updated, 2 deleted, 3 further changes in 2 tables',
      furtherExplained,
      'digest sha256:ab',
      '',
    ]);
    const markdown = written(forms['markdown'] as Create, hidden);
    assert.match(
      markdown,
      `</details>\n\n<code>&#34;a&#124;b&#34;</code>: ${sentence}\n\n**1 inserted`,
    );
    assert.not.match(markdown, 'not shown here');
    const sql = written((reader) => createSqlFormat([], reader), hidden);
    assert.match(sql, `;\n-- "a|b": ${sentence}\nCOMMIT;\n`);
    const { tables } = JSON.parse(hidden);
    assert.equal(JSON.parse(written(forms['json'] as Create, hidden)).tables, tables);
    const none = JSON.parse(written(forms['json'] as Create, hidden, () => false));
    assert.equal(none.tables, { 'a|b': tables['a|b'] });
  });

  test('takes hidden tables together where a comment has no more room', () => {
    const many = Array.from(
      { length: 1000 },
      (_, index) => `"table ${index}":{"deletes":1,"further_changes":1,"hidden":true,"changes":[]}`,
    );
    const all = `{"digest":"sha256:ab","summary":{"total_deletes":1000,"further_changes":1000,"tables_affected":1000},"tables":{${many}}}`;
    const shown = written(forms['markdown'] as Create, all);
    assert.ok(shown.length < 65_536);
    const reported = shown.match(/: 2 changes hidden/g)?.length ?? 0;
    assert.match(
      shown,
      `${1000 - reported} more tables: ${2 * (1000 - reported)} changes hidden: `,
    );
  });
});
