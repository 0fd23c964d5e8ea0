/** Addresses, identifiers, geometry, catalog types, and types of extensions. */
import type { Family } from './family.ts';

export const identifiers: Family = {
  name: 'addresses and identifiers',
  subjects: [
    {
      type: 'uuid',
      values: [
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
        '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}',
        '00000000-0000-0000-0000-000000000000',
        null,
      ],
      refused: ['a0eebc99'],
    },
    {
      type: 'inet',
      values: [
        '192.168.0.1',
        '192.168.0.1/32',
        '192.168.0.1/24',
        '::1',
        '::ffff:1.2.3.4/128',
        'fe80::/10',
        null,
      ],
      refused: ['256.0.0.1', '1.2.3.4/33'],
    },
    {
      type: 'cidr',
      values: ['192.168.0.0/24', '10', '::/0', '2001:db8::/32'],
      refused: ['192.168.0.1/24'],
    },
    {
      type: 'macaddr',
      values: ['08:00:2b:01:02:03', '08-00-2b-01-02-03', 'ffffffffffff'],
      refused: ['08:00'],
    },
    { type: 'macaddr8', values: ['08:00:2b:01:02:03:04:05', '08:00:2b:01:02:03'] },
    { type: 'oid', values: ['0', '4294967295', '1259'], refused: ['4294967296'] },
    { type: 'xid', values: ['0', '4294967295'] },
    { type: 'xid8', values: ['0', '18446744073709551615'] },
    { type: 'tid', values: ['(0,0)', '(4294967295,65535)'] },
    { type: 'pg_lsn', values: ['0/0', 'FFFFFFFF/FFFFFFFF', '16/B374D848'], refused: ['G/0'] },
    { type: 'pg_snapshot', values: ['10:20:10,14', '1:1:'] },
    {
      type: 'regclass',
      values: ['pg_class', '-', '4000000000', null],
      refused: ['no_such_relation'],
    },
    { type: 'regtype', values: ['integer', 'character varying', '-'], refused: ['no_such_type'] },
    { type: 'regproc', values: ['now', '-'] },
    { type: 'regprocedure', values: ['abs(integer)', '-'] },
    { type: 'regrole', values: ['postgres', '-'] },
    { type: 'regnamespace', values: ['pg_catalog', '-'] },
    {
      type: 'uuid',
      isKey: true,
      values: [
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
        'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
        '00000000-0000-0000-0000-000000000000',
      ],
    },
    { type: 'inet', isKey: true, values: ['192.168.0.1', '192.168.0.1/32', '192.168.0.1/24'] },
    { type: 'cidr', isKey: true, values: ['10.0.0.0/8', '10', '::/0'] },
    { type: 'macaddr', isKey: true, values: ['08:00:2b:01:02:03', '08002b010203'] },
    { type: 'oid', isKey: true, values: ['1', '4294967295'] },
    { type: 'pg_lsn', isKey: true, values: ['0/0', '1/0'] },
  ],
};

export const geometry: Family = {
  name: 'geometry',
  subjects: [
    {
      type: 'point',
      values: ['(0,0)', '(-0,0)', '(1e300,-1e300)', '(NaN,Infinity)', '(0.1,0.2)', null],
      refused: ['(1)'],
    },
    { type: 'line', values: ['{1,2,3}', '{0,1,-0}', '[(0,0),(1,1)]'], refused: ['{0,0,1}'] },
    { type: 'lseg', values: ['[(0,0),(1,1)]', '[(1,1),(0,0)]', '[(0,0),(-0,1)]'] },
    { type: 'box', values: ['(1,1),(0,0)', '(0,0),(1,1)', '(0,1),(1,0)', null] },
    { type: 'path', values: ['[(0,0),(1,1)]', '((0,0),(1,1))', '[(0,0)]'], refused: ['[]'] },
    { type: 'polygon', values: ['((0,0),(1,1),(1,0))', '((0,0))', '((1,0),(0,0),(1,1))', null] },
    { type: 'circle', values: ['<(0,0),1>', '<(0,0),0>', '<(1,1),NaN>'], refused: ['<(0,0),-1>'] },
    { type: 'point[]', values: ['{"(0,0)",NULL}', '{}'] },
  ],
};

export const citext: Family = {
  name: 'citext',
  needs: 'citext',
  setup: "CREATE EXTENSION citext; CREATE DOMAIN email AS citext CHECK (VALUE ~ '@');",
  subjects: [
    { type: 'citext', values: ['a', 'A', 'Ä', '', null] },
    { type: 'email', values: ['A@b', 'a@B', null], refused: ['a'] },
    { type: 'citext[]', values: ['{a,A}', '{}'] },
    { type: 'citext', isKey: true, values: ['a', 'A', 'b', 'B', 'Ä', 'ä'] },
    { type: 'email', isKey: true, values: ['A@b', 'a@b', 'c@d'] },
  ],
};

export const hstore: Family = {
  name: 'hstore',
  needs: 'hstore',
  setup: 'CREATE EXTENSION hstore;',
  subjects: [
    {
      type: 'hstore',
      values: ['', 'a=>1', 'a=>NULL, b=>"NULL"', '"a b"=>"\\"", a=>1', null],
      refused: ['a'],
    },
    { type: 'hstore', isKey: true, values: ['a=>1', 'a=>2', ''] },
  ],
};

export const ltree: Family = {
  name: 'ltree',
  needs: 'ltree',
  setup: 'CREATE EXTENSION ltree;',
  subjects: [
    { type: 'ltree', values: ['', 'a', 'a.b.C', null], refused: ['a..b'] },
    { type: 'lquery', values: ['*.a{1,2}', 'a|b'] },
    { type: 'ltree', isKey: true, values: ['', 'a', 'a.b', 'A'] },
  ],
};
