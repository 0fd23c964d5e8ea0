/** Joins modules to one script, so that a browser requests one file instead of one for each module. */
import { posix } from 'node:path';

const imported = /^import \{([^}]*)\} from ["']([^"']+)["'];$/gm;
const exported = /^export ((?:async function|class|function|const) (\w+))/gm;

/**
 * Joins the modules that an entry imports, each in a function of its own that returns its exports. The result has to be loaded as a module,
 * because modules are strict.
 * @param read returns the text of a module; its imports and exports must be named, in lines of their own
 * @throws Error if a module has another import or export, or imports itself by way of others
 */
export function joinModules(entry: string, read: (path: string) => string): string {
  const parts: string[] = [];
  /** The variable that contains each module's exports; null while its imports are joined. */
  const holders = new Map<string, string | null>();
  const add = (path: string): string => {
    const known = holders.get(path);
    if (known === null) throw new Error(`${path} imports itself`);
    if (known !== undefined) return known;
    holders.set(path, null);
    const names: string[] = [];
    const body = read(path)
      .replace(imported, (_, list: string, from: string) => {
        const holder = add(posix.join(posix.dirname(path), from));
        return `const {${list.replaceAll(' as ', ': ')}} = ${holder};`;
      })
      .replace(exported, (_, declaration: string, name: string) => {
        names.push(name);
        return declaration;
      });
    const other = /^(?:import|export)\b.*$/m.exec(body);
    if (other !== null) throw new Error(`${path} cannot be joined: ${other[0]}`);
    const holder = `module${parts.length}`;
    parts.push(
      `// ${path}\nconst ${holder} = (() => {\n${body}\nreturn { ${names.join(', ')} };\n})();\n`,
    );
    holders.set(path, holder);
    return holder;
  };
  add(entry);
  return parts.join('');
}
