/** Strings: padding, case, collation, bytes, bits, names. */
import type { Family } from './family.ts';

const long = 'x'.repeat(5000);

export const texts: Family = {
  name: 'texts',
  setup: `
CREATE COLLATION german (provider = icu, locale = 'de-u-co-phonebk');
CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);`,
  subjects: [
    {
      type: 'text',
      values: [
        '',
        ' ',
        'null',
        'NULL',
        `it's`,
        'a\\b',
        '"',
        '\t\n\r',
        'żółć 🐘',
        'e\u0301',
        '\u00e9',
        '\u200b',
        long,
        null,
      ],
    },
    { type: 'varchar(3)', values: ['', 'abc', 'abc   ', 'żół', null], refused: ['abcd'] },
    { type: 'varchar', values: ['', 'x  '] },
    { type: 'char(4)', values: ['', 'a', 'a  ', 'abcd', 'ż', null], refused: ['abcde'] },
    { type: 'char', values: ['', 'a'], refused: ['ab'] },
    { type: 'bpchar', values: ['', 'a  ', 'a'] },
    { type: 'name', values: ['', 'a', 'n'.repeat(70), 'ż'.repeat(40)] },
    { type: '"char"', values: ['', 'a', '\\377', 'ab'] },
    {
      type: 'bytea',
      values: ['\\x', '\\x00', '\\x00ff5c27', '\\\\000', 'abc', `\\x${'ab'.repeat(3000)}`, null],
      refused: ['\\x0', '\\xzz'],
    },
    { type: 'bit(3)', values: ['000', '101', '011', null], refused: ['10', '1010', '102'] },
    { type: 'bit varying(5)', values: ['', '1', '10101'], refused: ['101010'] },
    { type: 'varbit', values: ['', '0', '1'.repeat(100)] },
    { type: 'text COLLATE german', values: ['ä', 'ae', 'a'] },
    { type: 'text COLLATE folding', values: ['a', 'A', 'ä', null] },
    { type: 'text COLLATE "C"', values: ['b', 'B', ''] },
    {
      type: 'text',
      isKey: true,
      values: ['', ' ', 'a', 'A', `it's`, '"', 'a,b', 'e\u0301', '\u00e9', '\\'],
    },
    { type: 'char(4)', isKey: true, values: ['a', 'a ', 'a   ', '', 'abcd'] },
    { type: 'bpchar', isKey: true, values: ['a', 'a  ', 'b'] },
    { type: 'varchar(4)', isKey: true, values: ['a', 'a ', '', 'abcd'] },
    { type: 'name', isKey: true, values: ['a', 'A'] },
    { type: '"char"', isKey: true, values: ['a', 'b', ''] },
    { type: 'bytea', isKey: true, values: ['\\x', '\\x00', '\\xff'] },
    { type: 'bit(3)', isKey: true, values: ['000', '111'] },
    { type: 'varbit', isKey: true, values: ['', '0', '00'] },
    { type: 'text COLLATE folding', isKey: true, values: ['a', 'A', 'b', 'ä', 'Ä'] },
    { type: 'text COLLATE accents', isKey: true, values: ['resume', 'résumé', 'RESUME', 'x'] },
    { type: 'text COLLATE german', isKey: true, values: ['ä', 'ae', 'a'] },
  ],
};
