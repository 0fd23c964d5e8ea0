-- Functions that take rows of tables and read other tables: what they read is staged, too.
CREATE TABLE customers (id int PRIMARY KEY, first text, last text, rank int DEFAULT 0);
CREATE TABLE orders (id int PRIMARY KEY, gone int, customer int REFERENCES customers, note text, size int GENERATED ALWAYS AS (length(note)) STORED);
ALTER TABLE orders DROP COLUMN gone;
CREATE TABLE items (id int PRIMARY KEY, order_id int REFERENCES orders, price numeric);
INSERT INTO customers VALUES (1, 'Ann', 'A'), (2, 'Bob', 'B');
INSERT INTO orders (id, customer, note) VALUES (1, 1, 'one'), (2, 2, 'two');
INSERT INTO items VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5);
CREATE FUNCTION total(o orders) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(price) FROM items i WHERE i.order_id = o.id';
CREATE FUNCTION pl_total(o orders) RETURNS numeric LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT sum(price) FROM items i WHERE i.order_id = o.id); END';
CREATE FUNCTION full_name(c customers) RETURNS text LANGUAGE sql STABLE AS $$ SELECT c.first || ' ' || c.last $$;
CREATE FUNCTION full_name(o orders) RETURNS text LANGUAGE sql STABLE AS $$ SELECT full_name(c) || o.note FROM customers c WHERE c.id = o.customer $$;
CREATE FUNCTION items_of(o orders) RETURNS SETOF items LANGUAGE sql STABLE AS 'SELECT * FROM items WHERE order_id = o.id ORDER BY id';
CREATE FUNCTION orders_of(c customers) RETURNS SETOF orders LANGUAGE sql STABLE AS 'SELECT * FROM orders WHERE customer = c.id ORDER BY id';
CREATE FUNCTION spent(c customers) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(total(o)) FROM orders o WHERE o.customer = c.id';
CREATE FUNCTION spent2(c customers) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT sum(o.total) FROM orders o WHERE o.customer = c.id';
CREATE FUNCTION get_order(p int) RETURNS orders LANGUAGE sql STABLE AS 'SELECT * FROM orders WHERE id = p';
CREATE FUNCTION handed(o orders) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT total(o) + pl_total(o)';
CREATE FUNCTION of_variable(p int) RETURNS numeric LANGUAGE plpgsql STABLE AS 'DECLARE r orders; BEGIN SELECT * INTO r FROM orders WHERE id = p; RETURN total(r); END';
CREATE FUNCTION of_rowtype(p int) RETURNS numeric LANGUAGE plpgsql STABLE AS 'DECLARE r public . "orders" % ROWTYPE; BEGIN SELECT o.* INTO r FROM orders o WHERE id = p; RETURN total(r) + (SELECT sum(total(o)) FROM orders o); END';
CREATE FUNCTION of_loop() RETURNS SETOF text LANGUAGE plpgsql STABLE AS
  'DECLARE r orders; c CONSTANT customers := NULL; BEGIN FOR r IN SELECT * FROM orders ORDER BY id LOOP RETURN NEXT total(r) || full_name(r) || to_jsonb(r); END LOOP; RETURN NEXT spent(c); END';
CREATE FUNCTION of_block() RETURNS orders LANGUAGE plpgsql STABLE AS
  'BEGIN DECLARE r orders; BEGIN SELECT * INTO r FROM orders WHERE id = 2; r.note := total(r) || r.note; RETURN r; END; END';
CREATE TABLE notes (id int PRIMARY KEY, text text);
CREATE FUNCTION keep_variable(p int) RETURNS text LANGUAGE plpgsql AS
  'DECLARE r orders; BEGIN INSERT INTO orders (id, customer, note) VALUES (p, 1, $$new$$) RETURNING * INTO r; INSERT INTO notes VALUES (p, full_name(r)); RETURN total(r) || $$.$$ || r.note; END';
CREATE FUNCTION keep(o orders) RETURNS int LANGUAGE sql AS $$ INSERT INTO notes VALUES (o.id, 'sum ' || total(o)) RETURNING id $$;
CREATE FUNCTION atomic(o orders) RETURNS int LANGUAGE sql STABLE BEGIN ATOMIC SELECT o.id; END;
CREATE FUNCTION both_kinds(p int) RETURNS numeric LANGUAGE plpgsql STABLE AS
  'DECLARE r orders; BEGIN SELECT * INTO r FROM orders WHERE id = p; RETURN total(r) + atomic(r); END';
CREATE FUNCTION handed_on(p int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN atomic(get_order(p)); END';
CREATE FUNCTION keep_dotted() RETURNS SETOF int LANGUAGE sql AS 'SELECT o.keep FROM orders o';
CREATE TABLE sums (id int PRIMARY KEY, price numeric, note text);
CREATE FUNCTION doubled(s sums) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT 2 * s.price + count(*) FROM items';
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note := CASE WHEN NEW.id > 5 THEN doubled(NEW)::text ELSE NEW.note END; RETURN NEW; END';
CREATE TRIGGER noted BEFORE INSERT ON sums FOR EACH ROW EXECUTE FUNCTION noted();
CREATE TABLE memo (id int PRIMARY KEY, memo text);
INSERT INTO memo VALUES (1, 'one'), (2, 'two');
CREATE FUNCTION told(m memo) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'row ' || m.id || (SELECT sum(price) FROM items) $$;
CREATE FUNCTION told(t text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'text ' || t || (SELECT sum(price) FROM items) $$;
CREATE FUNCTION tell() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT told(memo) FROM memo ORDER BY id';
CREATE FUNCTION gives() RETURNS TABLE (x text) LANGUAGE sql STABLE AS $$ SELECT 'given' || count(*) FROM items $$;

-- before each story
INSERT INTO items VALUES (4, 2, 100);
UPDATE items SET price = 11 WHERE id = 1;
UPDATE orders SET note = 'TWO!' WHERE id = 2;
INSERT INTO orders (id, customer, note) VALUES (3, 2, 'three');
INSERT INTO items VALUES (5, 3, 7);
UPDATE customers SET last = 'BB' WHERE id = 2;

-- story: reads
SELECT o.id, total(o), o.total, pl_total(o), o.pl_total, o.full_name, full_name(o) FROM orders o ORDER BY o.id;
SELECT id FROM orders WHERE total(orders) > 50 ORDER BY total(orders) DESC;
SELECT id FROM orders o WHERE o.total > 5 ORDER BY o.total DESC;
SELECT o.id, i.price FROM orders o, LATERAL items_of(o) i ORDER BY 1, 2;
SELECT o.id, i.price FROM orders o CROSS JOIN LATERAL items_of(o.*) i ORDER BY 1, 2;
SELECT o.id, (items_of(o)).price FROM orders o ORDER BY 1, 2;
SELECT c.id, (SELECT sum(total(x)) FROM orders_of(c.*) x) FROM customers c ORDER BY 1;
SELECT c.id, c.spent, spent2(c) FROM customers c ORDER BY 1;
SELECT total(get_order(2)), (get_order(2)).*;
SELECT id, handed(o) FROM orders o ORDER BY 1;
SELECT s.id, total(s) FROM (SELECT * FROM orders) s ORDER BY 1;
SELECT max(total(o)), array_agg(o.total ORDER BY o.id) FROM orders o;
SELECT c.id, full_name(o), total(o) FROM customers c LEFT JOIN orders o ON o.customer = c.id AND o.id > 1 ORDER BY 1, 2;

-- story: variables of functions
SELECT of_variable(2), of_rowtype(2), of_variable(9);
SELECT * FROM of_loop();
SELECT * FROM of_block();
SELECT keep_variable(7);
DO $$ DECLARE r orders; BEGIN SELECT * INTO r FROM orders WHERE id = 2; INSERT INTO notes VALUES (50, total(r)); END $$;
SELECT * FROM notes ORDER BY id;

-- story: a column is no row
UPDATE memo SET memo = 'TWO' WHERE id = 2;
SELECT tell();
SELECT told(x) FROM memo x, gives() g ORDER BY x.id;
SELECT told(m) FROM memo m, gives() g ORDER BY m.id;

-- story: what else takes rows of the table
SELECT both_kinds(9), handed_on(1);
SELECT keep_dotted(); -- refused: C=25006.*calls keep\(\), which writes, as a column

-- story: a trigger that passes its row on fires at approval
INSERT INTO sums VALUES (1, 2, 'one') RETURNING *;
SELECT * FROM sums;

-- story: what is no row of a table fails
SELECT total(NULL::orders); -- refused: C=42883
SELECT x.total FROM orders_of(NULL) x; -- refused: C=42
WITH s AS (SELECT o FROM orders o) SELECT total(o) FROM s ORDER BY 1; -- refused: C=42883

-- story: writes
UPDATE orders o SET note = total(o) || 'x' WHERE total(o) > 30 RETURNING id, note, total(o);
UPDATE customers SET rank = spent(customers) WHERE id < 3 RETURNING *;
INSERT INTO customers SELECT 10 + o.id, full_name(o), total(o) FROM orders o ORDER BY id RETURNING *;
SELECT keep(o) FROM orders o ORDER BY 1;
SELECT * FROM notes ORDER BY id;
