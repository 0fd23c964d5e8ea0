/** A copy of the project, in which parts of the source are changed temporarily. */
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

export interface Edit {
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly text: string;
  /** The replacement of `text`. */
  readonly without: string;
}

const parts = [
  '.build',
  'dist',
  'src',
  'test',
  'templates',
  'bin',
  'package.json',
  'tsconfig.json',
  'README.md',
  'docs',
];

/** Copies the compiled project to a temporary folder, which the caller removes. The copy uses the project's dependencies. */
export async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'stage-mutants-'));
  // Links stay relative, so that the copy's tests import the copy's product.
  const options = { recursive: true, verbatimSymlinks: true };
  for (const part of parts) await cp(part, join(copy, part), options);
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Changes a file of the copy, and its compiled form.
 * @returns a function that restores both
 * @throws Error if the text is not in the file exactly once
 */
export async function changeFile(
  copy: string,
  { file, text, without }: Edit,
): Promise<() => Promise<void>> {
  const path = join(copy, file);
  const original = await readFile(path, 'utf8');
  if (original.split(text).length !== 2) throw new Error(`not found once in ${file}: ${text}`);
  const changed = original.replace(text, () => without);
  const program = /^src\/.*\.tsx?$/.test(file) ? join(copy, programOf(file)) : null;
  const compiled = program === null ? '' : await readFile(program, 'utf8');
  await writeFile(path, changed);
  if (program !== null) await writeFile(program, transpile(file, changed));
  return async () => {
    await writeFile(path, original);
    if (program !== null) await writeFile(program, compiled);
  };
}

const programOf = (file: string) => file.replace(/^src\//, 'dist/').replace(/\.tsx?$/, '.js');

function transpile(fileName: string, source: string): string {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  // Without its package.json, TypeScript would treat the file as CommonJS.
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, sourceMap: false };
  // Without its name, TypeScript would treat the file as one with JSX, in which type parameters of arrow functions look like elements.
  return ts.transpileModule(source, { compilerOptions, fileName }).outputText;
}
