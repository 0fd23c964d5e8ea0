-- Orders with statuses: a table of transitions, history of steps, stock that is reserved and released, a procedure that expires.
CREATE TYPE status AS ENUM ('draft', 'placed', 'paid', 'shipped', 'cancelled');
CREATE TABLE transitions (source status, target status, needs text, PRIMARY KEY (source, target));
INSERT INTO transitions VALUES ('draft', 'placed', NULL), ('placed', 'paid', 'payment'), ('paid', 'shipped', NULL), ('placed', 'cancelled', NULL), ('draft', 'cancelled', NULL);
CREATE TABLE products (id int PRIMARY KEY, name text, stock int NOT NULL CHECK (stock >= 0), reserved int NOT NULL DEFAULT 0 CHECK (reserved >= 0));
CREATE TABLE orders (id int PRIMARY KEY, status status NOT NULL DEFAULT 'draft', payment text, total int NOT NULL DEFAULT 0, days int NOT NULL DEFAULT 0);
CREATE TABLE lines ("order" int REFERENCES orders ON DELETE CASCADE, product int REFERENCES products, n int NOT NULL CHECK (n > 0), price int NOT NULL, PRIMARY KEY ("order", product));
CREATE TABLE steps ("order" int, nth int, source status, target status, PRIMARY KEY ("order", nth));
CREATE FUNCTION check_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_needs text;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'draft' THEN RAISE EXCEPTION 'an order begins as a draft' USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  SELECT needs INTO STRICT v_needs FROM transitions WHERE source = OLD.status AND target = NEW.status;
  IF v_needs = 'payment' AND NEW.payment IS NULL THEN RAISE EXCEPTION 'order % has no payment', NEW.id; END IF;
  RETURN NEW;
EXCEPTION WHEN no_data_found THEN
  RAISE EXCEPTION 'order % may not go from % to %', NEW.id, OLD.status, NEW.status USING ERRCODE = 'P0001', HINT = 'See the table transitions.';
END $$;
CREATE TRIGGER a_check BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION check_step();
CREATE TRIGGER a_check_update BEFORE UPDATE OF status ON orders FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION check_step();
CREATE FUNCTION take_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  INSERT INTO steps SELECT NEW.id, count(*) + 1, OLD.status, NEW.status FROM steps s WHERE s."order" = NEW.id;
  FOR r IN SELECT l.product, l.n FROM lines l WHERE l."order" = NEW.id ORDER BY l.product LOOP
    CASE NEW.status
      WHEN 'placed' THEN UPDATE products SET stock = stock - r.n, reserved = reserved + r.n WHERE id = r.product;
      WHEN 'shipped' THEN UPDATE products SET reserved = reserved - r.n WHERE id = r.product;
      WHEN 'cancelled' THEN
        IF OLD.status = 'placed' THEN UPDATE products SET stock = stock + r.n, reserved = reserved - r.n WHERE id = r.product; END IF;
      ELSE NULL;
    END CASE;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER b_step AFTER UPDATE OF status ON orders FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION take_step();
CREATE FUNCTION sum_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_order int := coalesce(NEW."order", OLD."order");
BEGIN
  IF (SELECT status FROM orders WHERE id = v_order) <> 'draft' THEN RAISE EXCEPTION 'order % is no draft', v_order; END IF;
  UPDATE orders o SET total = coalesce((SELECT sum(l.n * l.price) FROM lines l WHERE l."order" = o.id), 0) WHERE o.id = v_order;
  RETURN NULL;
END $$;
CREATE TRIGGER sum_lines AFTER INSERT OR UPDATE OR DELETE ON lines FOR EACH ROW EXECUTE FUNCTION sum_lines();
CREATE FUNCTION place(p_order int) RETURNS orders LANGUAGE plpgsql AS $$
DECLARE v orders;
BEGIN
  UPDATE orders SET status = 'placed' WHERE id = p_order AND total > 0 RETURNING * INTO v;
  IF NOT FOUND THEN RAISE EXCEPTION 'nothing to place in %', p_order USING ERRCODE = 'no_data_found'; END IF;
  RETURN v;
END $$;
CREATE PROCEDURE expire(p_days int, INOUT p_count int DEFAULT 0) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT id FROM orders WHERE status = 'placed' AND days > p_days ORDER BY id FOR UPDATE LOOP
    UPDATE orders SET status = 'cancelled' WHERE id = r.id;
    p_count := p_count + 1;
  END LOOP;
END $$;
INSERT INTO products VALUES (1, 'cup', 10), (2, 'pot', 1);
INSERT INTO orders (id) VALUES (1), (2);
INSERT INTO lines VALUES (1, 1, 2, 5);
-- after each story
SELECT id, status::text, payment, total, days FROM orders ORDER BY id;
SELECT * FROM products ORDER BY id;
SELECT * FROM lines ORDER BY "order", product;
SELECT "order", nth, source::text, target::text FROM steps ORDER BY "order", nth;
-- story: a day of sales
INSERT INTO orders (id, status) VALUES (3, 'paid');
INSERT INTO orders (id) VALUES (3) RETURNING id, status::text;
INSERT INTO lines VALUES (3, 1, 3, 5), (3, 2, 1, 20);
UPDATE lines SET n = 4 WHERE "order" = 3 AND product = 1;
SELECT id, total FROM place(3);
SELECT (place(2)).total;
INSERT INTO lines VALUES (3, 2, 1, 1);
DELETE FROM lines WHERE "order" = 3;
UPDATE orders SET status = 'shipped' WHERE id = 3;
UPDATE orders SET status = 'paid' WHERE id = 3;
UPDATE orders SET status = 'paid', payment = 'card' WHERE id = 3 RETURNING status::text, total;
UPDATE orders SET status = 'shipped' WHERE id = 3;
INSERT INTO lines VALUES (2, 2, 1, 20);
SELECT (place(2)).total;
SELECT (place(1)).id;
UPDATE orders SET days = 40;
CALL expire(30);
CALL expire(30, 5);
DELETE FROM orders WHERE id = 2;
