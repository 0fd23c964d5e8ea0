/** A page that shows a frame of the terminal as a terminal emulator does: the sixteen colours, monospaced. */

const dark = { text: '#d7dae0', back: '#16191d' };

/** How a terminal shows the SGR codes of `src/tui/terminal/theme.ts`. */
const styles: Readonly<Record<string, string>> = {
  '1': 'font-weight:700;color:#fff',
  '2': 'color:#868e9b',
  '7': `background:${dark.text};color:${dark.back}`,
  '31': 'color:#ff7b72',
  '32': 'color:#6fd08f',
  '33': 'color:#e9b960',
  '36': 'color:#6cc7d9',
  '1;31': 'font-weight:700;color:#ff7b72',
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns the page's address, which contains it. @throws Error if a style is not known */
export function terminalPage(frame: string): string {
  const [first = '', ...parts] = frame.split('\x1b[');
  const spans = parts.map((part) => {
    const [code = '', text = ''] = [
      part.slice(0, part.indexOf('m')),
      part.slice(part.indexOf('m') + 1),
    ];
    if (code === '0') return escaped(text);
    const style = styles[code];
    if (style === undefined) throw new Error(`no style for SGR ${code}`);
    return `<span style="${style}">${escaped(text)}</span>`;
  });
  const look = `background:${dark.back};color:${dark.text};display:inline-block;font:14px/1.3 monospace;margin:0;padding:12px`;
  const body = `<body style="margin:0;background:${dark.back}"><pre style="${look}">${escaped(first)}${spans.join('')}</pre>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(`<!doctype html>${body}`)}`;
}
