/** Numbers in the formats of a diff. */
import { createCsvFormat } from '../../../src/cli/diff/csv.ts';
import { createJsonLinesFormat } from '../../../src/cli/diff/json.ts';
import { assert, suite } from '../../helpers/suite.ts';
import { text, written } from './written.ts';

suite('numbers in a diff', (test) => {
  test('writes numbers of many zeros with an exponent for people, and keeps all digits of others', () => {
    const [zeros, digits] = ['0'.repeat(319), '1'.repeat(400)];
    const numbers = {
      [`0.${zeros}1`]: '1e-320',
      [`-0.${zeros}2250`]: '-2.250e-320',
      [`17${zeros}`]: '1.7e+320',
      [`0.${zeros}`]: `0.${zeros}`,
      [`1.${zeros}1`]: `1.${zeros}1`,
      [`1${zeros}.5`]: `1${zeros}.5`,
      [digits]: digits,
      [`0.0000001${digits}`]: `0.0000001${digits}`,
      [`1${'0'.repeat(21)}`]: `1${'0'.repeat(21)}`,
    };
    for (const [number, shown] of Object.entries(numbers)) {
      const change = `{"type":"INSERT","row_id":${number},"before":null,"after":{"n":${number}}}`;
      const json = `{"session_id":"s","tables":{"t":{"changes":[${change}]}}}`;
      assert.match(written(text(), json), `  + ${shown}  n: ${shown}\n`);
      for (const create of [createCsvFormat, createJsonLinesFormat])
        assert.match(written(create, json), number);
    }
  });
});
