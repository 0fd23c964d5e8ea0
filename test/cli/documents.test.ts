/** What is made from the commands and the schemas is in step with them: `npm run docs` writes it anew. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { commandTable, manPage } from '../../src/cli/document.ts';
import { createProgram } from '../../src/cli/program.ts';
import { schemaDocuments } from '../../src/rest/schemas/documents.ts';
import { commandLinesIn, mistakeIn } from '../helpers/command-lines.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';

const program = () => createProgram(process, '0.0.0', () => async () => undefined);
const manFile = 'templates/man/stage.1';
const schemaFile = (name: string) => `templates/schemas/${name}.json`;

/** Compares a file with what it has to be; in `npm run docs` writes it. */
function inStep(file: string, expected: string): void {
  if (process.env['STAGE_WRITE_DOCUMENTS']) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, expected);
  }
  assert.snapshot(readFileSync(file, 'utf8'), expected);
}

suite('documents', (test) => {
  test('list the commands in the README', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const table = await commandTable(program());
    inStep(
      'README.md',
      readme.replace(/(<!-- commands:start -->\n)[\s\S]*(<!-- commands:end -->)/, `$1${table}$2`),
    );
    assert.match(readme, /<!-- commands:start -->\n\| Command/);
  });

  test('are the man page', async () => {
    inStep(manFile, await manPage(program()));
  });

  test('are a man page that man takes', async () => {
    needProgram('groff');
    const run = promisify(execFile);
    const { stdout, stderr } = await run('groff', ['-man', '-Tascii', '-ww', '-rLL=100n', manFile]);
    assert.is(stderr, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals make bold
    const text = stdout.replaceAll(/\x1b\[\d+m|.\x08/g, '');
    assert.match(text, /stage diff \[session\]/);
    assert.match(text, /stage diff --exit-code > review\.txt \|\| echo "there are changes"/);
  });

  test('are the JSON schemas', () => {
    for (const [name, text] of Object.entries(schemaDocuments())) inStep(schemaFile(name), text);
  });

  test('give only command lines that exist', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const code = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n');
    const lines = commandLinesIn(code);
    assert.ok(lines.length > 10);
    for (const words of lines) assert.is(await mistakeIn(program(), words), null, words.join(' '));
  });
});
