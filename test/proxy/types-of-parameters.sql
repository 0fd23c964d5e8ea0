-- Functions and procedures with domains, composite types, types of extensions, and arrays of these as arguments and results.
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE SCHEMA other;
CREATE DOMAIN email AS text CHECK (VALUE ~ '@');
CREATE DOMAIN login AS citext CONSTRAINT no_spaces CHECK (VALUE !~ '\s');
CREATE DOMAIN positive AS int NOT NULL CHECK (VALUE > 0);
CREATE DOMAIN small AS positive CONSTRAINT below_ten CHECK (VALUE < 10);
CREATE DOMAIN other.emails AS email[] CHECK (cardinality(VALUE) < 3);
CREATE TYPE state AS ENUM ('open', 'paid');
CREATE TYPE money_amount AS (value numeric, currency text);
CREATE TYPE other."Contact" AS (mail email, "Names" text[], state state);
CREATE DOMAIN euros AS money_amount CHECK ((VALUE).currency = 'EUR');
CREATE TABLE accounts (id int PRIMARY KEY, mail email UNIQUE, login login, tags hstore DEFAULT '', path ltree, due money_amount, contacts other."Contact"[] NOT NULL DEFAULT '{}');
INSERT INTO accounts VALUES (1, 'a@x', 'Ann', 'k=>1', 'top.a', (10, 'EUR')), (2, 'b@x', 'Bob', '', 'top.b', (20, 'USD')), (3, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE bills (id int PRIMARY KEY, mail email, due money_amount);

CREATE FUNCTION mail_of(p_id int) RETURNS email LANGUAGE sql STABLE AS 'SELECT mail FROM accounts WHERE id = p_id';
CREATE FUNCTION id_of(p_mail email DEFAULT 'a@x') RETURNS int LANGUAGE sql STABLE AS 'SELECT id FROM accounts WHERE mail = p_mail';
CREATE FUNCTION by_login(p_login citext) RETURNS int LANGUAGE sql STABLE AS 'SELECT id FROM accounts WHERE login = p_login';
CREATE FUNCTION mails() RETURNS TABLE (id int, mail email) LANGUAGE sql STABLE AS 'SELECT a.id, a.mail FROM accounts a ORDER BY 1';
CREATE FUNCTION one_mail() RETURNS TABLE (told email) LANGUAGE plpgsql STABLE AS $$ BEGIN FOR told IN SELECT a.mail FROM accounts a ORDER BY a.id LOOP RETURN NEXT; END LOOP; END $$;
CREATE FUNCTION mail_array() RETURNS email[] LANGUAGE plpgsql STABLE AS $$ DECLARE r email[]; n int; BEGIN SELECT array_agg(mail ORDER BY id), count(*) INTO r, n FROM accounts; RETURN r; END $$;
CREATE FUNCTION facts(p_id positive, OUT mail email, OUT n small, OUT due money_amount) LANGUAGE plpgsql STABLE AS $$
BEGIN SELECT a.mail, a.id INTO mail, n FROM accounts a WHERE a.id = p_id; due := due_of(p_id); END $$;
CREATE FUNCTION half_facts(p_id int, OUT mail email, OUT due money_amount) LANGUAGE plpgsql STABLE AS $$
BEGIN SELECT a.mail INTO mail FROM accounts a WHERE a.id = p_id; due := (SELECT a.due FROM accounts a WHERE a.id = p_id); END $$;
CREATE FUNCTION account(p_id int) RETURNS accounts LANGUAGE sql STABLE AS 'SELECT * FROM accounts WHERE id = p_id';
CREATE FUNCTION all_accounts() RETURNS SETOF accounts LANGUAGE sql STABLE AS 'SELECT * FROM accounts ORDER BY id';
CREATE FUNCTION account_row(p_id int) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE r accounts%ROWTYPE; BEGIN SELECT * INTO r FROM accounts WHERE id = p_id; RETURN r; END $$;
CREATE FUNCTION contact(p_id int) RETURNS other."Contact" LANGUAGE plpgsql STABLE AS $$
DECLARE r other."Contact"; BEGIN SELECT mail INTO r.mail FROM accounts WHERE id = p_id; r.state := 'paid'; RETURN r; END $$;
CREATE FUNCTION contacts() RETURNS SETOF other."Contact" LANGUAGE plpgsql STABLE AS $$
DECLARE r other."Contact"; BEGIN FOR r IN SELECT mail, ARRAY[login::text], 'open' FROM accounts WHERE mail IS NOT NULL ORDER BY id LOOP RETURN NEXT r; END LOOP; END $$;
CREATE FUNCTION due_of(p_id int) RETURNS money_amount LANGUAGE sql STABLE AS 'SELECT due FROM accounts WHERE id = p_id';
CREATE FUNCTION dues() RETURNS SETOF money_amount LANGUAGE sql STABLE AS 'SELECT due FROM accounts ORDER BY id';
CREATE FUNCTION due_rows() RETURNS SETOF money_amount LANGUAGE plpgsql STABLE AS $$
DECLARE m money_amount;
BEGIN FOR m IN SELECT (a.due).value, (a.due).currency FROM accounts a ORDER BY a.id LOOP m.value := m.value + 1; RETURN NEXT m; END LOOP; END $$;
CREATE FUNCTION sums(p money_amount) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN p.value + (SELECT sum((due).value) FROM accounts WHERE (due).currency = p.currency); END $$;
CREATE FUNCTION named(p text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'text ' || count(*) FROM accounts $$;
CREATE FUNCTION named(p email[]) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'emails ' || count(*) FROM accounts $$;
CREATE FUNCTION named(p money_amount) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'amount ' || count(*) FROM accounts $$;
CREATE FUNCTION named(p hstore) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'hstore ' || count(*) FROM accounts $$;
CREATE FUNCTION kind(p citext) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'citext ' || count(*) FROM accounts $$;
CREATE FUNCTION kind(p ltree) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'ltree ' || count(*) FROM accounts $$;

CREATE FUNCTION sign_up(p_id positive, p_mail email, p_login login DEFAULT 'new', p_tags hstore DEFAULT 'by=>app'::hstore) RETURNS email LANGUAGE plpgsql AS $$
DECLARE given email; n int;
BEGIN
  INSERT INTO accounts (id, mail, login, tags) VALUES (p_id, p_mail, p_login, p_tags) RETURNING mail, id INTO given, n;
  RETURN given;
END $$;
CREATE FUNCTION cut(p_id int, p_at int) RETURNS email LANGUAGE plpgsql AS $$
BEGIN UPDATE accounts SET path = 'cut' WHERE id = p_id; RETURN left((SELECT mail FROM accounts WHERE id = p_id), p_at); END $$;
CREATE FUNCTION bill(p_id int, p money_amount) RETURNS money_amount LANGUAGE plpgsql AS $$
DECLARE r money_amount;
BEGIN
  UPDATE accounts SET due = ((due).value + p.value, p.currency)::money_amount WHERE id = p_id RETURNING (due).value, (due).currency INTO r;
  RETURN r;
END $$;
CREATE FUNCTION bill_sql(p_id int, p money_amount) RETURNS money_amount LANGUAGE sql AS $$
  UPDATE accounts SET due.value = (due).value + (p).value WHERE id = p_id RETURNING due
$$;
CREATE FUNCTION bill_euros(p_id int, p euros) RETURNS euros LANGUAGE plpgsql AS $$
DECLARE r euros;
BEGIN UPDATE accounts SET due = p WHERE id = p_id; r := (SELECT due FROM accounts WHERE id = p_id); RETURN r; END $$;
CREATE FUNCTION bill_all(VARIADIC p money_amount[]) RETURNS SETOF money_amount LANGUAGE plpgsql AS $$
DECLARE m money_amount;
BEGIN
  FOREACH m IN ARRAY p LOOP
    UPDATE accounts SET due = (value(due) + value(m), m.currency) WHERE currency(due) = m.currency;
    RETURN NEXT m;
  END LOOP;
END $$;
CREATE FUNCTION meet(p_id int, p other."Contact", p_more other."Contact"[] DEFAULT '{}', p_mails other.emails DEFAULT '{}') RETURNS other."Contact"[] LANGUAGE plpgsql AS $$
DECLARE r other."Contact"[];
BEGIN
  p.state := 'paid';
  UPDATE accounts SET contacts = contacts || p || p_more, mail = coalesce(p_mails[1], mail) WHERE id = p_id;
  SELECT contacts INTO r FROM accounts WHERE id = p_id;
  RETURN r;
END $$;
CREATE FUNCTION add_sql(p_id int, p_mail email) RETURNS email LANGUAGE sql AS 'INSERT INTO accounts (id, mail) VALUES (p_id, p_mail) RETURNING mail';
CREATE FUNCTION add_rows(p_id int, p_login login, OUT id positive, OUT mail email, OUT due money_amount) LANGUAGE sql AS $$
  INSERT INTO accounts (id, login, due) VALUES (p_id, p_login, (1, 'GBP')) RETURNING id, mail, due $$;
CREATE PROCEDURE settle(p_id positive, INOUT p_due money_amount DEFAULT (0, 'EUR')::money_amount) LANGUAGE plpgsql AS $$
BEGIN UPDATE accounts SET due = p_due WHERE id = p_id; p_due.value := p_due.value + 1; END $$;
CREATE PROCEDURE rename(p_id int, INOUT p_mail email) LANGUAGE plpgsql AS $$
DECLARE old email := mail_of(p_id);
BEGIN UPDATE accounts SET mail = p_mail WHERE id = p_id; p_mail := old; END $$;
CREATE FUNCTION label(p_path ltree, p_tags hstore) RETURNS ltree[] LANGUAGE plpgsql AS $$
BEGIN UPDATE accounts SET path = path || p_path, tags = tags || p_tags WHERE path <@ 'top'; RETURN ARRAY(SELECT path FROM accounts WHERE path IS NOT NULL ORDER BY id); END $$;

-- story: reads
UPDATE accounts SET mail = 'z@x', login = 'Zoe', due = (5, 'EUR') WHERE id = 2;
SELECT mail_of(1), mail_of(2), mail_of(9), id_of(), id_of('z@x'), id_of('z@x'::text), id_of(p_mail => 'none@x');
SELECT id_of('no mail');
SELECT id_of(NULL);
SELECT by_login('ZOE'), by_login('zoe'::text), by_login('ann'::login);
SELECT * FROM mails();
SELECT told FROM one_mail() WHERE told LIKE 'z%';
SELECT mail_array()::text, (mail_array())[2] || '!';
SELECT mail, n, due::text FROM facts(2);
SELECT facts(2)::text;
SELECT mail, due::text FROM half_facts(2);
SELECT mail FROM facts(0);
SELECT mail FROM facts(9);
SELECT (account(2)).mail, (account(2)).due::text;
SELECT id, mail, login::text, due::text FROM all_accounts();
SELECT (due_of(2)).value, (due_of(2)).*, due_of(2)::text, due_of(9)::text, due_of(3) IS NULL;
SELECT * FROM dues();
SELECT (account_row(2)).mail, (account_row(2)).due::text, contact(2)::text, (contact(1)).mail;
SELECT mail, "Names", state::text FROM contacts();
SELECT value, currency FROM due_rows() ORDER BY value;
SELECT sums(ROW(1, 'EUR')), sums((2, 'EUR')::money_amount), sums('(3,EUR)'), sums(due_of(2)), sums(due) FROM accounts WHERE id = 2;

-- story: overloads
DELETE FROM accounts WHERE id = 3;
SELECT named('x'), named('x@y'::email), named('x'::text), named('{x@y}'::email[]), named((1, 'EUR')::money_amount), named('a=>1'::hstore), named(mail) FROM accounts WHERE id = 1;
SELECT named('x'::varchar), named(array_agg(mail)) FROM accounts;
SELECT named(5.5);
SELECT named(ROW(1, 'EUR'));
SELECT kind('a'::citext), kind('a'::ltree), kind('Ann'::login);
SELECT kind('a');
SELECT kind(login) FROM accounts WHERE id = 1;
SELECT kind(NULL);

-- story: writes
SELECT sign_up(10, 'j@x'), sign_up(11, 'k@x', 'Kim', 'a=>2'), sign_up(p_mail => 'l@x', p_id => 12);
SELECT sign_up(0, 'm@x');
SELECT sign_up(NULL, 'm@x');
SELECT sign_up(13, 'none');
SELECT sign_up(13, 'm@x', 'two words');
SELECT sign_up(13, 'j@x');
SELECT cut(10, 3), cut(10, 2);
SELECT cut(10, 1);
SELECT bill(1, (5, 'EUR'))::text, bill(1, '(1.5,USD)')::text, (bill_sql(2, ROW(7, NULL))).value;
SELECT * FROM bill(2, due_of(1));
SELECT (bill(1, NULL)).*;
SELECT bill_euros(1, (3, 'EUR')::euros)::text;
SELECT bill_euros(1, (3, 'USD')::money_amount)::text;
SELECT bill_euros(1, NULL)::text;
SELECT value, currency FROM bill_all((1, 'USD'), (2, 'EUR'));
SELECT meet(1, ('q@x', '{Q,R}', 'open'))::text;
SELECT meet(1, ('q', '{}', 'open'))::text;
SELECT meet(1, ('q@x', NULL, NULL)::other."Contact", ARRAY[('r@x', '{}', 'open')]::other."Contact"[], '{s@x}')::text;
SELECT meet(1, NULL, '{}', '{a@x,b@x,c@x}')::text;
DO $$ DECLARE m money_amount; BEGIN CALL settle(2, m); m.currency := 'CHF'; CALL settle(2, m); RAISE NOTICE '%', m; END $$;
CALL settle(0);
CALL rename(1, 'renamed@x');
CALL rename(1, 'renamed');
SELECT add_sql(40, 's@x'), add_rows(41, 'two')::text;
SELECT add_sql(42, 's');
SELECT label('more', 'x=>y')::text;
SELECT id, mail, login::text, tags::text, path::text, due::text, contacts::text FROM accounts ORDER BY id;
INSERT INTO bills VALUES (20, mail_of(10) || '2', bill(10, (1, 'EUR'))) RETURNING mail, due::text;
UPDATE bills SET mail = sign_up(21, 'r@x') WHERE id = 20 RETURNING mail;
INSERT INTO bills SELECT a.id, a.mail, due_of(a.id) FROM accounts a WHERE id < 3;
SELECT id, mail, due::text FROM bills ORDER BY id;
DO $$ DECLARE m money_amount; BEGIN m := bill(1, (100, 'EUR')); RAISE NOTICE '% %', m.value, m; PERFORM sign_up(30, 'do@x'); END $$;
SELECT id, mail, due::text FROM accounts ORDER BY id;

-- story: migrations
CREATE TYPE size AS (width int, height int); -- in production
CREATE DOMAIN code AS text CHECK (VALUE <> ''); -- in production
CREATE TABLE boxes (id int PRIMARY KEY, width int, height int, code text); -- in production
CREATE FUNCTION pack(p_id int, p size, p_code code DEFAULT 'none') RETURNS size LANGUAGE plpgsql AS $$
DECLARE r size; BEGIN INSERT INTO boxes VALUES (p_id, p.width, p.height, p_code); SELECT width, height INTO r.width, r.height FROM boxes WHERE id = p_id; RETURN r; END $$; -- in production
SELECT (pack(1, (2, 3))).width, (pack(2, '(4,5)', 'x')).*;
ALTER DOMAIN code ADD CONSTRAINT short CHECK (length(VALUE) < 5); -- in production
SELECT pack(3, (1, 1), 'too long')::text;
ALTER TYPE size ADD ATTRIBUTE depth int; -- in production
SELECT (pack(4, (2, 3, 4))).*;
SELECT pack(5, (2, 3))::text;
ALTER TYPE size RENAME ATTRIBUTE height TO tall; -- in production
SELECT pack(6, (2, 3, 4))::text;
ALTER TYPE size RENAME ATTRIBUTE tall TO height; -- in production
ALTER DOMAIN code RENAME TO label; -- in production
SELECT pack(7, (2, 3, 4), 'seven')::text;
ALTER DOMAIN label DROP CONSTRAINT short; -- in production
SELECT pack(8, (2, 3, 4), 'eight')::text;
DROP FUNCTION pack; -- in production
SELECT id, width, height, code FROM boxes ORDER BY id;
INSERT INTO bills VALUES (30);
SELECT mail_of(30);
ALTER TABLE boxes ADD deep int; -- in production
INSERT INTO boxes VALUES (10, 1, 2, 'ten', 3);
DROP TYPE size; -- in production
DROP DOMAIN label; -- in production
CREATE DOMAIN code AS int CHECK (VALUE > 0); -- in production
CREATE TYPE size AS (deep int); -- in production
CREATE FUNCTION pack(p_id int, p size, p_code code DEFAULT 1) RETURNS code LANGUAGE plpgsql AS $$
BEGIN INSERT INTO boxes (id, deep, width) VALUES (p_id, p.deep, p_code); RETURN (SELECT width FROM boxes WHERE id = p_id); END $$; -- in production
SELECT pack(11, ROW(3)), pack(12, ROW(4), 5);
SELECT pack(13, ROW(4), 0);
SELECT * FROM boxes ORDER BY id;

-- story: what is not staged
CREATE TABLE told (n int PRIMARY KEY, mail email); -- in production
CREATE FUNCTION tells(t text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (length(t)); RETURN true; END $$; -- in production
CREATE DOMAIN telling AS text; -- in production
CREATE TYPE has_telling AS (a int, t telling[]); -- in production
CREATE FUNCTION tell(t telling) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (100) RETURNING n'; -- in production
CREATE FUNCTION tell_in(t has_telling) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (101) RETURNING n'; -- in production
CREATE DOMAIN converting AS int CHECK (VALUE::text::telling <> ''); -- in production
CREATE FUNCTION tell_on(t converting) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (99) RETURNING n'; -- in production
CREATE FUNCTION tell_out(OUT t telling) LANGUAGE sql AS $$ INSERT INTO told VALUES (102) RETURNING 'told' $$; -- in production
SELECT tell('x'), tell_in(NULL), tell_out(), tell_on(NULL);
ALTER DOMAIN telling ADD CONSTRAINT tells CHECK (tells(VALUE)) NOT VALID; -- in production
SELECT tell('x'); -- refused: C=25006
SELECT tell_in(NULL); -- refused: C=25006.*whose checks run code of users
SELECT tell_on(NULL); -- refused: C=25006
SELECT tell_out(); -- refused: C=25006.*whose checks run code of users
ALTER DOMAIN telling DROP CONSTRAINT tells; -- in production
DELETE FROM told;
SELECT tell('x'), tell_in('(1,"{a,b}")'), tell_out();
CREATE FUNCTION tell(t text) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (103) RETURNING n'; -- in production
SELECT tell('x'::text); -- refused: C=25006.*beside another function
CREATE FUNCTION tell_rows() RETURNS SETOF told LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY INSERT INTO told VALUES (104) RETURNING *; END $$; -- in production
SELECT * FROM tell_rows(); -- refused: C=25006.*rows with domains
CREATE FUNCTION tell_record() RETURNS told LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN INSERT INTO told VALUES (104) RETURNING * INTO r; RETURN r; END $$; -- in production
SELECT * FROM tell_record(); -- refused: C=25006.*rows with domains
CREATE FUNCTION tell_expression() RETURNS told LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (104); RETURN (SELECT ROW(n, mail) FROM told WHERE n = 104); END $$; -- in production
SELECT * FROM tell_expression(); -- refused: C=25006.*rows with domains
CREATE FUNCTION tell_mails() RETURNS SETOF email LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY INSERT INTO told VALUES (104, 'a@b') RETURNING mail; END $$; -- in production
SELECT * FROM tell_mails(); -- refused: C=25006.*rows with domains
CREATE FUNCTION tell_sql() RETURNS SETOF told LANGUAGE sql AS $$ INSERT INTO told VALUES (105, 'a@b') RETURNING * $$; -- in production
SELECT * FROM tell_sql();
CREATE FUNCTION tell_row(p told) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (p.n) RETURNING n'; -- in production
SELECT tell_row(ROW(106, NULL));
CREATE TYPE span AS RANGE (subtype = float8); -- in production
CREATE FUNCTION tell_span(p span) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (107) RETURNING n'; -- in production
SELECT tell_span('[1,2]'); -- refused: C=25006.*a base type or range of users
CREATE FUNCTION of_amount(m money_amount) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (m.value); RETURN 1; END $$; -- in production
CREATE FUNCTION tell_amount(m money_amount) RETURNS int LANGUAGE sql AS 'INSERT INTO told VALUES (108) RETURNING n'; -- in production
SELECT tell_amount((1, 'EUR'));
CREATE CAST (money_amount AS int) WITH FUNCTION of_amount(money_amount) AS IMPLICIT; -- in production
SELECT tell_amount((2, 'EUR')); -- refused: C=25006.*casts by functions of users
DROP CAST (money_amount AS int); -- in production
SELECT tell_amount((3, 'EUR'));
SELECT n, mail FROM told ORDER BY n;
