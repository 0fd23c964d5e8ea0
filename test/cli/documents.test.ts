/** The documents that are generated from the commands and the schemas are up to date: `npm run docs` regenerates them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commandReference, manPage } from '../../src/cli/document.ts';
import { createProgram } from '../../src/cli/program.ts';
import { schemaDocuments } from '../../src/rest/schemas/documents.ts';
import { checkGenerated, checkGeneratedPart } from '../helpers/generated.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';

const program = () => createProgram(process, '0.0.0', () => async () => undefined);
const manFile = 'templates/man/stage.1';
const schemaFile = (name: string) => `templates/schemas/${name}.json`;

suite('documents', (test) => {
  test('are the reference of the commands', async () => {
    checkGeneratedPart('docs/commands.md', 'commands', await commandReference(program()));
  });

  test('are the man page', async () => {
    checkGenerated(manFile, await manPage(program()));
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
    for (const [name, text] of Object.entries(schemaDocuments()))
      checkGenerated(schemaFile(name), text);
  });
});
