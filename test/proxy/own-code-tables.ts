/** Tables as in ordinary databases with code. */

export interface OwnCode {
  readonly name: string;
  readonly schema: string;
  readonly statements: readonly string[];
}

export const trigger = (name: string, body: string, head: string, options = '') => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql ${options} AS $f$ ${body} $f$;
CREATE TRIGGER ${name} ${head} EXECUTE FUNCTION ${name}();`;

/** Tables with rows, and nothing else. */
export const posts = (p: string) =>
  `CREATE TABLE ${p}_posts (id int PRIMARY KEY, title text, body text, slug text, status text DEFAULT 'draft', author int, likes int DEFAULT 0, deleted boolean DEFAULT false, tsv tsvector, tenant text);
INSERT INTO ${p}_posts (id, title, body, author) SELECT g, 'Title ' || g, 'Body of ' || g, g % 2 FROM generate_series(1, 4) g;`;
export const counts = (p: string) =>
  `CREATE TABLE ${p}_counts (author int PRIMARY KEY, n int NOT NULL DEFAULT 0); INSERT INTO ${p}_counts VALUES (0, 2);`;
export const audit = (p: string) =>
  `CREATE TABLE ${p}_audit (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, tab text, op text, was jsonb, is_now jsonb);`;
export const accounts = (p: string) =>
  `CREATE TABLE ${p}_accounts (id int PRIMARY KEY, balance numeric NOT NULL DEFAULT 0 CHECK (balance >= 0));
INSERT INTO ${p}_accounts SELECT g, 100 FROM generate_series(1, 3) g;
CREATE TABLE ${p}_lines (id serial PRIMARY KEY, account int REFERENCES ${p}_accounts, amount numeric);`;
export const jobs = (p: string) =>
  `CREATE TABLE ${p}_jobs (id int PRIMARY KEY, state text DEFAULT 'queued', tries int DEFAULT 0); INSERT INTO ${p}_jobs SELECT g FROM generate_series(1, 3) g;`;

export const see = (...tables: readonly string[]) =>
  tables.map((each) => `TABLE ${each} ORDER BY 1`);
