/** Positions in errors count the characters of the database's encoding, which are bytes in SQL_ASCII. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const statements = [
  `INSERT INTO "größe" ("é", v) VALUES ('ß', 'é'::text)`,
  `UPDATE "größe" SET v = 'éé'::text || "ñ" WHERE "é" = 'ü'`,
  `SELECT 'é'; DELETE FROM "größe" WHERE "é" = 'ß' AND "ñ" = 1`,
  `SELECT "größe"."é", "größe"."ñ" FROM "größe"`,
  `SELECT "é" FROM "größe" WHERE "ñ" = 'é' FOR UPDATE`,
  `MERGE INTO "größe" t USING (VALUES ('é'::text, 'ß'::text)) s("é", v) ON t."é" = s."é"
   WHEN MATCHED THEN UPDATE SET v = s.v`,
];

for (const encoding of ['SQL_ASCII', 'LATIN1', 'UTF8']) {
  suite(`positions in ${encoding}`, (test) => {
    let proxied: Proxied;
    test.before(async () => {
      proxied = await startProxied(
        `CREATE TABLE "größe" ("é" text PRIMARY KEY, v int)`,
        {},
        encoding,
      );
    });
    test.after(() => proxied.stop());

    for (const statement of statements) {
      test(`those of ${statement}`, async () => {
        const isOne = !statement.includes(';');
        const messages = [q(statement), ...(isOne ? [p(statement), b(), e(), s] : [])];
        const staged = await runScript(await proxied.session('staged'), messages);
        const direct = await runScript(proxied.twin.url, messages);
        const positions = (answers: readonly string[]) =>
          answers.filter((each) => each.startsWith('E ')).map((each) => / P=(\d+)/.exec(each)?.[1]);
        assert.equal(positions(staged), positions(direct));
        assert.ok(positions(direct).every(Boolean));
      });
    }
  });
}
