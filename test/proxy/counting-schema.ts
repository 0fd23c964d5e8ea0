/** Tables whose AFTER triggers update, delete and insert rows of others, and of their own. */
export const schema = `
CREATE TABLE customers (id int PRIMARY KEY, orders int NOT NULL DEFAULT 0);
INSERT INTO customers VALUES (1, 1), (2, 0);
CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers ON DELETE CASCADE, status text DEFAULT 'new', total int NOT NULL DEFAULT 0 CHECK (total < 1000),
  version int NOT NULL DEFAULT 1);
INSERT INTO orders VALUES (1, 1, 'new', 10);
CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders ON DELETE CASCADE, amount int);
INSERT INTO lines VALUES (1, 1, 10);
INSERT INTO orders (id, customer) VALUES (90, 2), (91, 2);
CREATE TABLE search (order_id int PRIMARY KEY, words text);
INSERT INTO search VALUES (1, 'new 10'), (90, ''), (91, '');
CREATE FUNCTION sum_lines() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN UPDATE orders SET total = total - OLD.amount WHERE id = OLD.order_id; END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN UPDATE orders o SET total = o.total + NEW.amount WHERE o.id = NEW.order_id; END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER sum_lines AFTER INSERT OR UPDATE OR DELETE ON lines FOR EACH ROW EXECUTE FUNCTION sum_lines();
CREATE FUNCTION count_orders() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_OP = 'INSERT' THEN UPDATE customers SET orders = orders + 1 WHERE id = NEW.customer;
  ELSE UPDATE customers SET orders = orders - 1 WHERE id = OLD.customer; END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER count_orders AFTER INSERT OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION count_orders();
CREATE FUNCTION bump() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN NEW.version := OLD.version + 1; RETURN NEW; END $f$;
CREATE TRIGGER bump BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION bump();
CREATE FUNCTION index_order() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  DELETE FROM search WHERE order_id = coalesce(NEW.id, OLD.id);
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO search VALUES (NEW.id, concat(NEW.status, ' ', NEW.total, ' ', pg_trigger_depth()));
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER index_order AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION index_order();
CREATE TABLE nodes (id int PRIMARY KEY, parent int, weight int, path text);
INSERT INTO nodes VALUES (1, NULL, 1, '/1'), (2, 1, 1, '/1/2'), (3, 2, 1, '/1/2/3');
CREATE FUNCTION weigh() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN UPDATE nodes SET weight = weight + NEW.weight - OLD.weight WHERE id = NEW.parent; RETURN NULL; END $f$;
CREATE TRIGGER weigh AFTER UPDATE ON nodes FOR EACH ROW WHEN (OLD.weight <> NEW.weight AND pg_trigger_depth() < 5) EXECUTE FUNCTION weigh();
CREATE FUNCTION place() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN UPDATE nodes SET path = (SELECT n.path FROM nodes n WHERE n.id = NEW.parent) || '/' || NEW.id WHERE id = NEW.id; RETURN NULL; END $f$;
CREATE TRIGGER place AFTER INSERT ON nodes FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION place();
`;
