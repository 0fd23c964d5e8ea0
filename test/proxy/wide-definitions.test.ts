/** Checks, generated columns and indexes over more columns than a function can have arguments. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { suite } from '../helpers/suite.ts';

const names = Array.from({ length: 119 }, (_, index) => (index === 0 ? '"New"' : `c${index}`));
const columns = names.map((name) => `${name} int`).join(', ');
const sum = names.map((name) => `coalesce(${name}, 0)`).join(' + ');

const schema = `
CREATE TABLE checked (id int PRIMARY KEY, ${columns}, CONSTRAINT small CHECK (${sum} < 1000));
CREATE TABLE generated (id int PRIMARY KEY, ${columns}, total int GENERATED ALWAYS AS (${sum}) STORED);
CREATE TABLE indexed (id int PRIMARY KEY, ${columns}); CREATE UNIQUE INDEX ON indexed ((${sum}));
CREATE TABLE partial (id int PRIMARY KEY, ${columns}); CREATE UNIQUE INDEX ON partial ("New") WHERE ${sum} > 10;
CREATE TABLE parted (id int PRIMARY KEY, ${columns}) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100); CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
CREATE UNIQUE INDEX ON parted_1 (c1);
INSERT INTO generated (id, c1) VALUES (50, 5); INSERT INTO indexed (id, c1) VALUES (50, 5); INSERT INTO parted (id, c1) VALUES (50, 5);
`;

const by = (text: string, who = 'a') => ({ by: who, refused: null, text });
const changes = (table: string) => [
  by(`INSERT INTO ${table} (id, "New", c1) VALUES (1, 30, 3), (200, 31, 3)`),
  by(`INSERT INTO ${table} (id, "New", c1) VALUES (2, 30, 3)`),
  by(`INSERT INTO ${table} (id, c5) SELECT g, g * 10 FROM generate_series(95, 101) g`),
  by(`UPDATE ${table} SET c5 = coalesce(c5, 0) + 15 WHERE id <> 95`),
  by(`UPDATE ${table} SET c7 = 2 WHERE id = 1 RETURNING *`),
  by(`INSERT INTO ${table} (id, c1) VALUES (3, 3) ON CONFLICT DO NOTHING`),
];

const stories = Object.fromEntries(
  ['checked', 'generated', 'indexed', 'partial', 'parted'].map((table) => [
    table,
    [
      ...changes(table),
      by(`ALTER TABLE ${table} ADD COLUMN later int DEFAULT 1`, 'production'),
      by(`UPDATE ${table} SET later = 3 WHERE id = 1 RETURNING *`),
      by(`DELETE FROM ${table} WHERE id = 96`),
      by(`SELECT * FROM ${table} ORDER BY id`),
    ],
  ]),
);

suite('definitions over many columns', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  approveStories(test, () => proxied, stories);
});
