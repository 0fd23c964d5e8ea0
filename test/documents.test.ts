/** The documents are consistent: links and named files exist, README is short, tables are readable, lists are complete. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProgram } from '../src/cli/program.ts';
import { commandLinesIn, mistakeIn } from './helpers/command-lines.ts';
import { assert, suite } from './helpers/suite.ts';

interface Page {
  readonly path: string;
  readonly text: string;
}

const page = (path: string): Page => ({ path, text: readFileSync(path, 'utf8') });
const docs = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => page(`docs/${name}`));
const readme = page('README.md');
const pages = [readme, page('SECURITY.md'), page('src/README.md'), ...docs];
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');
const codeSpans = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
const linksIn = ({ text }: Page): string[] =>
  [...withoutBlocks(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, to = '']) => to);
const localLinks = (from: Page): string[] => linksIn(from).filter((to) => !/^https?:/.test(to));

/** Returns the anchors of the headings, as GitHub creates them. */
const anchors = ({ text }: Page): string[] =>
  [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns the file that a link leads to, and the heading in it. */
function target(from: Page, link: string): { path: string; anchor: string } {
  const [path = '', anchor = ''] = link.split('#');
  return { path: path === '' ? from.path : join(dirname(from.path), path), anchor };
}

const sources = (folder: string, ending: RegExp): Page[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => page(join(folder, name)));

suite('documents: what holds them together', (test) => {
  test('the README can be read in one go', () => {
    assert.ok(words(readme.text) <= 1500, `${words(readme.text)} words`);
  });

  test('a release has at most 60 lines in the changelog, the highlights first', () => {
    const releases = readFileSync('CHANGELOG.md', 'utf8')
      .split(/^(?=## )/m)
      .filter((part) => /^## \[\d/.test(part));
    assert.ok(releases.length > 0);
    for (const release of releases) {
      const lines = release.trimEnd().split('\n');
      const title = lines[0] ?? '';
      assert.ok(lines.length <= 60, `${title}: ${lines.length} lines`);
      assert.match(release, /^## .*\n\n.*Highlights:\n/, title);
    }
  });

  test('every link leads somewhere', () => {
    for (const from of pages) {
      for (const link of localLinks(from)) {
        const { path, anchor } = target(from, link);
        assert.ok(existsSync(path), `${from.path}: ${link}`);
        if (anchor !== '') assert.ok(anchors(page(path)).includes(anchor), `${from.path}: ${link}`);
      }
    }
  });

  test('every page is linked from the README, and packed', () => {
    const linked = localLinks(readme).map((link) => target(readme, link).path);
    for (const { path } of docs) assert.ok(linked.includes(path), path);
    for (const from of [readme, ...docs]) {
      for (const { path } of localLinks(from).map((link) => target(from, link)))
        assert.ok(manifest.files.includes(path.split('/')[0]), `${from.path}: ${path}`);
    }
  });

  test('every picture is small, shown and described, one of each seat in the README; the package has none', () => {
    const shownBy = (from: Page) =>
      [...from.text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', to = '']) => ({
        alt,
        path: join(dirname(from.path), to),
      }));
    const shown = pages.flatMap(shownBy);
    for (const { alt, path } of shown) assert.ok(words(alt) >= 5, path);
    const files = readdirSync('docs/pictures').map((name) => join('docs/pictures', name));
    assert.equal([...new Set(shown.map(({ path }) => path))].sort(), files.sort());
    const sizes = files.map((path) => statSync(path).size);
    assert.ok(Math.max(...sizes) <= 60_000, sizes.join());
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 400_000, sizes.join());
    const inReadme = shownBy(readme).map(({ path }) => path);
    assert.equal(inReadme, ['docs/pictures/terminal.webp', 'docs/pictures/page.webp']);
    assert.ok(manifest.files.includes('!docs/pictures'));
  });

  test('no cell of a table is longer than 40 words', () => {
    for (const { path, text } of pages) {
      const rows = text.split('\n').filter((line) => line.startsWith('|'));
      const cells = rows.flatMap((row) => row.replaceAll('\\|', '').split('|'));
      const long = cells.filter((cell) => words(cell) > 40);
      assert.equal(long, [], path);
    }
  });

  test('files that are named exist', () => {
    const places = /^(?:src|test|templates|bin|bench|\.ci)\/[\w./-]+$/;
    for (const { path, text } of pages) {
      const missing = codeSpans(text).filter((code) => places.test(code) && !existsSync(code));
      assert.equal(missing, [], path);
    }
  });

  test('tests that are named exist', () => {
    const rooms = readdirSync('test', { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const named = new RegExp(`^(?:${rooms.map(({ name }) => name).join('|')})/[\\w/-]+$`);
    for (const { path, text } of pages.filter(({ path: name }) => !name.startsWith('src/'))) {
      const missing = codeSpans(text).filter(
        (code) =>
          named.test(code) &&
          !['ts', 'test.ts', 'test.tsx'].some((ending) => existsSync(`test/${code}.${ending}`)),
      );
      assert.equal(missing, [], path);
    }
  });

  test('command lines that are given exist', async () => {
    const program = createProgram(process, '0.0.0', () => async () => undefined);
    const blocks = pages.flatMap(({ text }) => [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)]);
    const lines = commandLinesIn(blocks.map(([, code]) => code).join('\n'));
    assert.ok(lines.length > 20);
    for (const line of lines) assert.is(await mistakeIn(program, line), null, line.join(' '));
  });

  test('every dependency stands in the README with its reason', () => {
    const section = readme.text.slice(readme.text.indexOf('## Dependencies'));
    const named = [...section.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)]
      .slice(1)
      .flatMap(([, names = '']) => names.split(', '));
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    assert.equal(named.sort(), Object.keys(needed).sort());
  });

  test('every setting stage.* stands in the architecture', () => {
    const code = [...sources('src', /\.tsx?$/), ...sources('templates/sql', /\.sql$/)];
    const used = code.flatMap(({ text }) =>
      [
        ...text.matchAll(
          /(?:set_config|current_setting|setting)\('(stage\.\w+)|['"`](stage\.\w+_)\$\{/g,
        ),
      ].map(([, setting, prefix]) => setting ?? prefix ?? ''),
    );
    const architecture = page('docs/architecture.md').text;
    const table = architecture.slice(architecture.indexOf('## Settings stage.*'));
    const firstCells = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell);
    const reported = codeSpans(firstCells.join('\n')).map((name) => name.replace(/<.*/, ''));
    const untold = [...new Set(used)].filter((name) => !reported.includes(name));
    assert.equal(untold, []);
    const all = code.map(({ text }) => text).join('\n');
    const unused = reported.filter((name) => !all.includes(name));
    assert.equal(unused, []);
  });
});
