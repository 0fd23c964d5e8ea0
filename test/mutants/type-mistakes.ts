/** Compiles the source after edits, and returns the compiler's errors. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import ts from 'typescript';
import type { Edit } from './project-copy.ts';

/**
 * Returns whether an error is about syntax, or about names and members that do not exist. The removal of a guard may cause other errors: an
 * unused variable, or unreachable code, whose type is `never`.
 */
const isMistake = ({ code, messageText }: ts.Diagnostic) =>
  code < 2000 || ([2304, 2305, 2339, 2551, 2552, 2724].includes(code) && !isNever(messageText));

const isNever = (message: ts.Diagnostic['messageText']) =>
  ts.flattenDiagnosticMessageText(message, ' ').endsWith(`on type 'never'.`);

/** Applies all edits at once, those of the same place one after the other, and returns the compiler's errors as texts. */
export async function mistakesIn(edits: readonly Edit[]): Promise<string[]> {
  const found: string[] = [];
  const compile = openCompiler();
  let waiting = edits;
  while (waiting.length > 0) {
    const texts = new Map<string, string>();
    const inTheWay: Edit[] = [];
    for (const edit of waiting) {
      const file = resolve(edit.file);
      const before = texts.get(file) ?? (await readFile(file, 'utf8'));
      if (before.includes(edit.text))
        texts.set(
          file,
          before.replace(edit.text, () => edit.without),
        );
      else inTheWay.push(edit);
    }
    if (inTheWay.length === waiting.length) throw new Error(`not found: ${waiting[0]?.text}`);
    found.push(...compile(texts));
    waiting = inTheWay;
  }
  return found;
}

/** Returns a function that compiles the source with other texts for some files. Files that keep their text are parsed once. */
function openCompiler(): (texts: ReadonlyMap<string, string>) => string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return (texts) => {
    host.getSourceFile = (file, target, ...more) => {
      const text = texts.get(resolve(file));
      if (text !== undefined) return ts.createSourceFile(file, text, target);
      if (!parsed.has(file)) parsed.set(file, parse(file, target, ...more));
      return parsed.get(file);
    };
    return mistakesOf(ts.createProgram(fileNames, options, host), texts);
  };
}

function mistakesOf(program: ts.Program, texts: ReadonlyMap<string, string>): string[] {
  return [...texts.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    const reported = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    return reported.filter(isMistake).map(({ messageText, start = 0 }) => {
      const { line = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {};
      return `${file}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
