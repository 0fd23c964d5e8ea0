-- Schemas of applications with accounts: users whose trigger creates an account, owners of functions, policies that read members.
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL);
CREATE FUNCTION who() RETURNS int LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.who', true), '')::int $$;
CREATE TABLE accounts (id int PRIMARY KEY, name text, by int DEFAULT who());
CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := lower(NEW.name); RETURN NEW; END $$;
CREATE TRIGGER tidy BEFORE INSERT OR UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION tidy();
CREATE TABLE members (account int REFERENCES accounts, who int, PRIMARY KEY (account, who));
-- accounts calls a function in its definition: the trigger fires at approval only
CREATE FUNCTION sign_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO accounts (id, name) VALUES (NEW.id, NEW.email);
  RETURN NEW;
END $$;
CREATE TRIGGER sign_up AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION sign_up();
INSERT INTO users VALUES (1, 'Ann');

-- story: a trigger that fires at approval only writes to a table with a trigger and an overlay
INSERT INTO members VALUES (1, 7);
INSERT INTO users VALUES (2, 'Bob');
INSERT INTO users VALUES (3, 'Cid'), (4, 'Dan');
UPDATE users SET email = 'Bobby' WHERE id = 2;
SELECT * FROM users ORDER BY id;
