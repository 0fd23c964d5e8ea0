/** The tables of the tests of briefs. */
export const briefSchema = `
CREATE TABLE products (id int PRIMARY KEY, name text, price numeric(10,2), stock int, status text, seen text DEFAULT 'no', made date DEFAULT '2026-01-01',
  sold timestamptz DEFAULT '2026-03-01 12:00+00');
CREATE TABLE orders (id int PRIMARY KEY, product int CONSTRAINT orders_product_fkey REFERENCES products ON DELETE CASCADE, note text);
CREATE TABLE secrets (id int PRIMARY KEY, iban text);`;

export const briefData = `
INSERT INTO products SELECT g, 'product ' || g, (g % 97) * 1.37 + 2, g % 13, CASE g % 2 WHEN 0 THEN 'paid' ELSE 'open' END FROM generate_series(1, 406) g;
INSERT INTO orders SELECT g, (g + 1) / 2, NULL FROM generate_series(1, 812) g;
INSERT INTO secrets SELECT g, 'DE' || g FROM generate_series(1, 100) g`;
