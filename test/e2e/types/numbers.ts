/** Numbers: scale, extremes, special values, and keys that are equal but not identical. */
import type { Family } from './family.ts';

export const numbers: Family = {
  name: 'numbers',
  subjects: [
    {
      type: 'numeric',
      values: [
        '0',
        '0.0',
        '1',
        '1.0',
        '1.00',
        '-1.10',
        'NaN',
        'Infinity',
        '-Infinity',
        '1e-16383',
        '1e131071',
        '123456789012345678901234567890.123456789012345678901234567890',
        null,
      ],
      refused: ['', '1e131073', 'one', '0x'],
    },
    {
      type: 'numeric(8,3)',
      values: ['1.0005', '99999.999', '-0.0004', 'NaN', null],
      refused: ['99999.9999', 'Infinity'],
    },
    { type: 'numeric(3,-2)', values: ['12345', '49', '50'], refused: ['100000'] },
    { type: 'numeric(2,5)', values: ['0.00099', '0.000005'], refused: ['0.001'] },
    {
      type: 'bigint',
      values: [
        '0',
        '9007199254740992',
        '9007199254740993',
        '-9007199254740993',
        '9223372036854775807',
        '-9223372036854775808',
      ],
      refused: ['9223372036854775808', '1.5'],
    },
    {
      type: 'integer',
      values: ['2147483647', '-2147483648', '-0', ' 7 '],
      refused: ['2147483648'],
    },
    { type: 'smallint', values: ['32767', '-32768'], refused: ['32768'] },
    {
      type: 'float8',
      values: [
        '0',
        '-0',
        'NaN',
        'Infinity',
        '-Infinity',
        '0.1',
        '0.30000000000000004',
        '5e-324',
        '1.7976931348623157e308',
        '1e22',
        '1e15',
        null,
      ],
      refused: ['1e309', '1e-400'],
    },
    {
      type: 'float4',
      values: ['0', '-0', 'NaN', 'Infinity', '16777217', '1.4e-45', '3.4028235e38', '0.1'],
      refused: ['1e39'],
    },
    {
      type: 'money',
      values: ['0', '-0.01', '92233720368547758.07', '-92233720368547758.08', '1,234.56'],
      refused: ['92233720368547758.08'],
    },
    { type: 'boolean', values: ['t', 'off', 'yes', null], refused: ['maybe'] },
    {
      type: 'numeric',
      isKey: true,
      values: ['1.0', '1.00', '1', '0', '-0.0', 'NaN', 'Infinity', '1e30', '9007199254740993'],
    },
    {
      type: 'bigint',
      isKey: true,
      values: ['9007199254740992', '9007199254740993', '-9223372036854775808', '0'],
    },
    {
      type: 'float8',
      isKey: true,
      values: ['0', '-0', 'NaN', 'Infinity', '-Infinity', '5e-324', '0.1'],
    },
    { type: 'float4', isKey: true, values: ['0', '-0', 'NaN', '0.1'] },
    { type: 'money', isKey: true, values: ['1', '1.00', '-5'] },
    { type: 'boolean', isKey: true, values: ['t', 'f', 'true'] },
  ],
};
