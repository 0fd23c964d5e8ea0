/** Documents and search: json, jsonb, xml, jsonpath, tsvector. Some of them have no equality. */
import type { Family } from './family.ts';

export const documents: Family = {
  name: 'documents',
  subjects: [
    {
      type: 'json',
      values: [
        '{"b":1,"a":2}',
        '{"a":1,"a":2}',
        '{ "a" :\n1 }',
        '{"a":1}',
        '{"a": 1}',
        '[1.0,1.00,1e2,-0]',
        '"\\u0000"',
        '{"\\u0000":1}',
        '"\\ud83d\\ude00"',
        '1e400000',
        'null',
        '""',
        '[]',
        null,
      ],
      refused: ['{', "{'a':1}", '', '[1,]'],
    },
    {
      type: 'jsonb',
      values: [
        '{"b":1,"a":2}',
        '{"a":1,"a":2}',
        '[1.0,1.00,1e2,-0]',
        '12345678901234567890.123456789',
        '9007199254740993',
        '"\\ud83d\\ude00"',
        'null',
        '{}',
        '[]',
        '{"":[]}',
        null,
      ],
      refused: ['"\\u0000"', '1e400000', '"\\ud83d"', '{'],
    },
    {
      type: 'jsonpath',
      values: ['$', '$.a[*] ? (@.b > 1)', 'strict $."a b"', null],
      refused: ['$['],
    },
    { type: 'tsvector', values: ['', 'a:1A b:2', `'it''s' fat`, 'a b a', null] },
    { type: 'tsquery', values: ['', 'a & b', '!a | (b <2> c:*AB)', null] },
    { type: 'jsonb', isKey: true, values: ['1', '1.0', '{"a": 1}', '"x"', 'null', '[]'] },
    { type: 'tsvector', isKey: true, values: ['a', 'a:1', ''] },
    { type: 'tsquery', isKey: true, values: ['a', 'a & b'] },
  ],
};

export const xml: Family = {
  name: 'xml',
  needs: 'xml',
  subjects: [
    {
      type: 'xml',
      values: [
        '<a/>',
        '<a></a>',
        '<a b="1">żółć</a>',
        'text',
        '<?xml version="1.0"?><a/>',
        '<a>&lt;</a>',
        '',
        null,
      ],
      refused: ['<a>', '<a/'],
    },
    { type: 'xml[]', values: ['{<a/>,NULL}', '{}'] },
  ],
};
