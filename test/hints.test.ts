/** All hints to people name commands that exist, and none advises a way around the review. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from './helpers/suite.ts';

/** Advice to put a change into effect without a review. */
const aroundReview =
  /directly on|outside of (?:the|a) session|past the review|without (?:a )?review|turn(?:ed)? four_eyes off|four_eyes turned off/i;

/** The form in which hints name a command. */
const named = /`stage ([a-z]+)(?: ([a-z]+))?|\bstage (reopen|resolve|propose|doctor|help) /g;

const literal = /'(?:[^'\\\n]|\\.|'')*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g;

function textsBelow(folder: string, extension: RegExp): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extension.test(name) && !name.includes('migrations'))
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      const code = lines.filter((line) => !/^\s*(?:\/?\*|\/\/|--)/.test(line)).join('\n');
      return [...code.matchAll(literal)].map(([text]): [string, string] => [name, text]);
    });
}

suite('hints', (test) => {
  const texts = [...textsBelow('src', /\.tsx?$/), ...textsBelow('templates/sql', /\.sql$/)];

  test('send nobody around the review', () => {
    assert.ok(texts.length > 3000);
    assert.equal(
      texts.filter(([, text]) => aroundReview.test(text)),
      [],
    );
  });

  test('name commands that are there', () => {
    const commands = new Set(
      [...readFileSync('docs/commands.md', 'utf8').matchAll(/^### stage (.+)$/gm)].map(
        ([, name = '']) => name,
      ),
    );
    const isCommand = (first: string, second = '') =>
      commands.has(first) ||
      commands.has(`${first} ${second}`) ||
      `${first} ${second}` === 'audit ';
    const unknown = texts.flatMap(([file, text]) =>
      [...text.matchAll(named)]
        .map(([, first, second, bare]) => [first ?? bare ?? '', second] as const)
        .filter(([first, second]) => !isCommand(first, second))
        .map(([first]) => `${file}: stage ${first}`),
    );
    assert.equal(unknown, []);
  });
});
