/** The dialogs of the page. */
/// <reference lib="dom" />
import type { Child } from './dom.ts';
import { button, fill, h } from './dom.ts';
import { faultOf } from './http.ts';

interface Question {
  readonly title: string;
  readonly body: readonly Child[];
  /** Label of the button that runs the action. */
  readonly act: string;
  readonly isGrave?: boolean;
  /** Whether the input is complete; checked after each change. */
  isReady?(): boolean;
  /** Runs the action. The dialog closes afterwards, or shows the error. */
  do(): Promise<void>;
}

/** Opens a dialog that asks before it runs an action. */
export function askFor(question: Question): void {
  const fault = h('p', { class: 'fault', role: 'alert' });
  const act = button(question.act, () => void run(), {
    class: question.isGrave ? 'grave' : 'main',
  });
  const cancel = button('Cancel', () => dialog.close());
  const dialog = h(
    'dialog',
    { 'aria-label': question.title, close: () => dialog.remove() },
    h('h2', {}, question.title),
    ...question.body,
    fault,
    h('div', { class: 'buttons' }, cancel, act),
  );
  const update = () => {
    act.disabled = !(question.isReady?.() ?? true);
  };
  const run = async () => {
    if (act.disabled) return;
    act.disabled = true;
    fill(fault, 'Working…');
    try {
      await question.do();
      dialog.close();
    } catch (error) {
      fill(fault, faultOf(error));
      update();
    }
  };
  dialog.addEventListener('input', update);
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const { key, target } = event;
    if (key === 'Enter' && target instanceof HTMLInputElement) void run();
  });
  update();
  document.body.append(dialog);
  dialog.showModal();
}

/** Opens a dialog with text only. */
export function show(title: string, ...body: readonly Child[]): void {
  const close = button('Close', () => dialog.close());
  const dialog = h(
    'dialog',
    { 'aria-label': title, close: () => dialog.remove() },
    h('h2', {}, title),
    ...body,
    h('div', { class: 'buttons' }, close),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Creates a labelled field. */
export function field<Input extends HTMLInputElement | HTMLTextAreaElement>(
  label: string,
  input: Input,
): HTMLLabelElement {
  return h('label', {}, label, input);
}
