/** Random scripts for parts of sessions: keys that move, several statements on one row, cascades, partitions and a table without a key. */
import type { Random } from './random.ts';

export const partSchema = `
CREATE TABLE customers (id int PRIMARY KEY, name text UNIQUE, points int NOT NULL DEFAULT 0);
CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE, total int);
CREATE TABLE lines (order_id int REFERENCES orders ON DELETE CASCADE ON UPDATE CASCADE, line int, qty int CHECK (qty < 50), PRIMARY KEY (order_id, line));
CREATE TABLE tags (id int PRIMARY KEY, customer int REFERENCES customers ON DELETE SET NULL ON UPDATE SET NULL, word text);
CREATE TABLE days (id int, day int, n int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES IN (1, 2); CREATE TABLE days_2 PARTITION OF days DEFAULT;
CREATE TABLE loose (word text, n int);`;

export const partTables = ['customers', 'orders', 'lines', 'tags', 'days', 'loose'] as const;

/** Removes all rows, and inserts those with which a script begins. */
export const partData = `
TRUNCATE ${partTables.join(', ')};
INSERT INTO customers SELECT g, 'c' || g, g FROM generate_series(1, 6) g;
INSERT INTO orders SELECT g, 1 + g % 5, g FROM generate_series(1, 8) g;
INSERT INTO lines SELECT 1 + g % 7, g, g FROM generate_series(1, 12) g;
INSERT INTO tags SELECT g, g, 't' FROM generate_series(1, 5) g;
INSERT INTO days SELECT g, 1 + g % 3, g FROM generate_series(1, 6) g;
INSERT INTO loose VALUES ('a', 1), ('a', 1), ('b', 2), (NULL, NULL);`;

/** Draws a statement. Many are refused, or change nothing, which is intended. */
export function partStatement({ below, pick }: Random): string {
  const key = () => 1 + below(9);
  const name = () => `'c${1 + below(9)}'`;
  const forms: readonly (() => string)[] = [
    () => `INSERT INTO customers VALUES (${key()}, ${name()}, ${below(9)})`,
    () => `INSERT INTO orders VALUES (${key()}, ${key()}, ${below(99)})`,
    () => `INSERT INTO lines SELECT id, ${20 + below(3)}, 1 FROM orders WHERE id < ${key()}`,
    () => `INSERT INTO tags VALUES (${key() + 5}, ${key()}, 'new')`,
    () => `INSERT INTO loose VALUES ('${pick(['a', 'c'])}', ${below(3)})`,
    () =>
      `INSERT INTO customers VALUES (${key()}, ${name()}) ON CONFLICT (id) DO UPDATE SET points = customers.points + 7`,
    () => `UPDATE customers SET points = points + 1 WHERE id >= ${key()}`,
    () => `UPDATE customers SET name = ${name()} WHERE id = ${key()}`,
    () => `UPDATE customers SET id = id + ${10 * (1 + below(2))} WHERE id = ${key()}`,
    () => `UPDATE customers SET id = id - 10 WHERE id > 10`,
    () => `UPDATE orders SET total = total * 2 WHERE customer = ${key()}`,
    () => `UPDATE orders SET customer = ${key()} WHERE id = ${key()}`,
    () => `UPDATE orders SET id = id + 20 WHERE id = ${key()}`,
    () => `UPDATE lines SET qty = qty + ${below(20)} WHERE order_id < ${key()}`,
    () => `UPDATE lines SET order_id = ${key()} WHERE line = ${key()}`,
    () => `UPDATE days SET day = ${1 + below(4)}, n = n + 1 WHERE id = ${key()}`,
    () => `UPDATE loose SET n = n + 1 WHERE word = '${pick(['a', 'b'])}'`,
    () => `DELETE FROM customers WHERE id = ${key()}`,
    () => `DELETE FROM orders WHERE id = ${key()}`,
    () => `DELETE FROM lines WHERE qty > ${10 + below(20)}`,
    () => `DELETE FROM loose WHERE word = 'b'`,
    () =>
      `WITH gone AS (DELETE FROM tags WHERE id = ${key()} RETURNING word) INSERT INTO loose SELECT word, 5 FROM gone`,
  ];
  return pick(forms)();
}
