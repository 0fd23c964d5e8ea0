/** The view of one session: head, banner, panes and actions. */
/// <reference lib="dom" />
import type { Card } from '../client/brief.ts';
import { readOutline } from '../client/decode.ts';
import type { PartMarks } from '../client/part-marks.ts';
import { faultOfMarks, noMarks } from '../client/part-marks.ts';
import type { Session } from '../model/session.ts';
import type { Action } from './decide.ts';
import { actionsFor, readDigest } from './decide.ts';
import type { Child } from './dom.ts';
import { fill, h } from './dom.ts';
import type { Edits } from './edits.ts';
import { editsFor } from './edits.ts';
import { faultOf, Refusal, request } from './http.ts';
import type { After, Known } from './known.ts';
import type { News } from './live.ts';
import type { Marking } from './marking.ts';
import { canMark, cleared, marksIn } from './marking.ts';
import {
  commentItem,
  commentsPane,
  conflictsPane,
  effectsPane,
  readAllComments,
  readAllConflicts,
  statementsPane,
} from './panes.ts';
import { RowsPane } from './rows-pane.ts';
import type { PaneName } from './session-frame.ts';
import { bannerOf, footOf, tabsOf } from './session-frame.ts';
import { briefView, headOf, readCardOf } from './session-head.ts';
import { firstTableOf, isAsBefore, isOpen, readSessionOf } from './session-reads.ts';
import { readPolicyOf } from './votes.ts';

export type Caller = Pick<Known, 'name' | 'operations'>;

export class SessionView {
  readonly #id: string;
  readonly #head = h('header', { class: 'session' });
  readonly #brief = h('section', { class: 'brief', 'aria-label': 'Brief' });
  readonly #banner = h('div', { class: 'banners', role: 'status' });
  readonly #tabs = h('div', { class: 'tabs', role: 'tablist' });
  readonly #body = h('section', { class: 'pane' });
  readonly #actions = h('footer', { class: 'actions' });
  readonly rows: RowsPane;
  #known: Known | null = null;
  #caller: Caller;
  #pane: PaneName = 'Rows';
  /** Text of the banner: the session has changed since it was loaded, or an error. */
  #notice: string | null = null;
  /** The outcome of the caller's last action. */
  #said: readonly Child[] | null = null;
  /** Number of the current load; results of an earlier one are dropped. */
  #reading = 0;
  /** Whether the digest of the card is not that of the diff, as after a migration. */
  #isCardRefused = false;
  #conflicts: Awaited<ReturnType<typeof readAllConflicts>> | null = null;

  constructor(region: Element, id: string, caller: Caller) {
    [this.#id, this.#caller] = [id, caller];
    this.rows = new RowsPane(
      id,
      () => this.#known?.comments ?? [],
      () => void this.#readComments(),
      () => this.#edits,
      () => this.marking,
    );
    fill(region, this.#head, this.#brief, this.#banner, this.#tabs, this.#body, this.#actions);
  }

  /** Loads everything again, the first rows first. */
  async read(): Promise<void> {
    this.#reading += 1;
    this.#said = null;
    const [turn, id] = [this.#reading, this.#id];
    const finding = this.#part(turn, () => firstTableOf(id));
    const session = await this.#part(turn, () => readSessionOf(id));
    if (session === null) return;
    this.#notice = null;
    this.#conflicts = null;
    const unknown = { digest: null, outline: null, conflicts: null, comments: [], policy: null };
    const rehearsal = this.#known?.rehearsal ?? null;
    const part = marksIn(session, this.#known);
    if (part !== (this.#known?.part ?? part)) this.#said = [cleared];
    this.#known = { session, ...unknown, rehearsal, part, ...this.#caller };
    this.#draw();
    this.#show();
    const table = await finding;
    if (turn !== this.#reading) return;
    if (table !== null) this.rows.open(table);
    await Promise.all([
      this.#readComments(),
      this.#readPolicy(turn),
      this.#readRest(session, turn),
    ]);
  }

  /** Loads the slow parts one after the other, because the service limits concurrent diffs. */
  async #readRest(session: Session, turn: number): Promise<void> {
    const outline = () => this.#readOutline(session.id, turn);
    // the card of a proposed session is stored, that of another one is computed
    if (session.status !== 'proposed') await outline();
    const card = await this.#readCard(turn);
    if (session.status === 'proposed') await outline();
    if (isOpen(session)) await this.#readConflicts(turn);
    else if (turn === this.#reading) this.#learn({ conflicts: 0 });
    const known = this.#isCardRefused || card?.round !== session.round ? null : card.digest;
    await this.#readDigest(session, turn, known);
  }

  async #readCard(turn: number): Promise<Card | null> {
    const card = await this.#part(turn, () => readCardOf(this.#id));
    if (turn === this.#reading) {
      fill(this.#brief, ...briefView(card?.brief ?? null));
      this.rows.setBrief(card?.brief ?? null);
    }
    return card;
  }

  async #readOutline(id: string, turn: number): Promise<void> {
    const path = `/sessions/${id}/diff/outline`;
    const outline = await this.#part(turn, async () => readOutline(await request('GET', path)));
    if (outline === null) return;
    this.rows.setOutline(outline);
    this.#learn({ outline });
  }

  /** Handles an event; null if events may have been missed. */
  async hear(news: News | null): Promise<void> {
    if (news !== null && news.sessionId !== this.#id) return;
    if (news?.kind === 'comment') return this.#readComments();
    if (news === null || news.kind === 'voted') await this.#readPolicy(this.#reading);
    const now = await this.#part(this.#reading, () => readSessionOf(this.#id));
    if (now === null || this.#known === null || isAsBefore(now, this.#known.session)) return;
    const who = news?.by ? ` by ${news.by}` : '';
    this.#change(now, `${news?.kind.replaceAll('_', ' ') ?? now.status}${who}`);
  }

  /** Returns the current actions. */
  actions(): readonly Action[] {
    const done = (...how: Parameters<After>) => void this.#done(...how);
    const refused = (error: unknown) => this.#hearRefusal(error);
    return this.#known ? actionsFor(this.#known, done, refused) : [];
  }

  get #edits(): Edits {
    return this.#known
      ? editsFor(this.#known, () => void this.read())
      : { settle: null, takeOut: null };
  }

  /** Returns the marks, and sets them. */
  get marking(): Marking {
    return {
      marks: this.#known?.part ?? noMarks,
      isPossible: this.#known !== null && canMark(this.#known),
      set: (part) => this.#mark(part),
    };
  }

  clearMarks(): void {
    if (this.marking.marks.size > 0) this.#mark(noMarks);
  }

  #mark(part: PartMarks): void {
    const fault = faultOfMarks(part);
    if (fault !== null) this.#said = [fault];
    this.#learn(fault === null ? { part } : {});
  }

  show(pane: PaneName): void {
    this.#pane = pane;
    this.#drawTabs();
    this.#show();
  }

  async #done(rehearsal?: Known['rehearsal'], said: readonly Child[] | null = null): Promise<void> {
    if (rehearsal && this.#known) {
      this.#known = { ...this.#known, rehearsal };
      this.show('Effects');
      return void this.#readCard(this.#reading);
    }
    if (this.#known) this.#known = { ...this.#known, part: noMarks };
    const reading = this.read();
    this.#said = said;
    await reading;
  }

  /** Loads a part of a load. Returns null after an error, which it shows, and if a newer load has started. */
  async #part<Part>(turn: number, read: () => Promise<Part>): Promise<Part | null> {
    // an earlier load changes nothing of a later one
    if (turn !== this.#reading) return null;
    try {
      const part = await read();
      return turn === this.#reading ? part : null;
    } catch (error) {
      if (turn === this.#reading) this.#notice = faultOf(error);
      this.#draw();
      return null;
    }
  }

  #learn(part: Partial<Known>): void {
    if (this.#known === null) return;
    this.#known = { ...this.#known, ...part };
    this.#draw();
  }

  /**
   * Loads the digest, unless it is known from the card. The rows on display are as old as `session` or newer, so the digest must not be
   * newer than `session`.
   */
  async #readDigest(session: Session, turn: number, known: string | null): Promise<void> {
    const digest = known ?? (await this.#part(turn, () => readDigest(this.#id)));
    const now = digest && (await this.#part(turn, () => readSessionOf(this.#id)));
    if (!digest || !now) return;
    // guard: an approval applies the diff that was shown
    if (!isAsBefore(now, session)) return this.#changeUnlessKnown(now);
    this.#learn({ digest });
  }

  /** Handles a refused action. After an approval of another diff, the next load computes the digest. */
  #hearRefusal(error: unknown): void {
    if (!(error instanceof Refusal) || error.status !== 412) return;
    this.#isCardRefused = true;
    this.#notice = 'The diff is another one than was shown.';
    this.#learn({ digest: null });
  }

  /** Shows that the session has changed, unless an event has reported how. */
  #changeUnlessKnown(now: Session): void {
    const isKnown = this.#known !== null && isAsBefore(now, this.#known.session);
    if (!isKnown) this.#change(now, 'it is not as it was');
  }

  /** Shows that the session has changed, and disables approval until the next load. */
  #change(now: Session, how: string): void {
    if (this.#known === null) return;
    const lost = this.#known.part.size > 0 ? ` ${cleared}` : '';
    this.#notice = `The session has changed: ${how}.${lost}`;
    this.#known = { ...this.#known, session: now, digest: null, part: noMarks };
    this.#draw();
  }

  async #readComments(): Promise<void> {
    const comments = await this.#part(this.#reading, () => readAllComments(this.#id));
    if (comments === null) return;
    this.#learn({ comments });
    if (this.#pane === 'Comments') this.#show();
  }

  async #readPolicy(turn: number): Promise<void> {
    const policy = await this.#part(turn, () => readPolicyOf(this.#id));
    if (turn === this.#reading) this.#learn({ policy });
  }

  async #readConflicts(turn: number): Promise<void> {
    const conflicts = await this.#part(turn, () => readAllConflicts(this.#id));
    if (conflicts === null) return;
    this.#conflicts = conflicts;
    this.#learn({ conflicts: conflicts.filter(({ ignored }) => !ignored).length });
    if (this.#pane === 'Conflicts') this.#show();
  }

  #draw(): void {
    const { conflicts = null } = this.#known ?? {};
    const news = { notice: this.#notice, said: this.#said, conflicts };
    const [again, see] = [() => void this.read(), () => this.show('Conflicts')];
    fill(this.#banner, bannerOf(news, again, see));
    if (this.#known === null) return;
    fill(this.#head, ...headOf(this.#known));
    const [word] = this.#known.comments.filter(({ kind }) => kind !== 'comment').slice(-1);
    if (word) this.#head.append(h('ul', { class: 'comments' }, commentItem(word)));
    this.#drawTabs();
    this.rows.showMarks();
    fill(this.#actions, ...footOf(this.#known, this.actions(), () => this.clearMarks()));
  }

  #drawTabs(): void {
    fill(this.#tabs, ...tabsOf(this.#known ?? {}, this.#pane, (name) => this.show(name)));
  }

  #show(): void {
    const pane = this.#pane;
    const put = (children: readonly Child[]) => {
      if (this.#pane === pane) fill(this.#body, ...children);
    };
    const fail = (error: unknown) => put([h('p', { class: 'fault' }, faultOf(error))]);
    if (pane !== 'Statements') put(this.#paneOf(pane));
    else statementsPane(this.#id).then(put, fail);
  }

  #paneOf(pane: Exclude<PaneName, 'Statements'>): readonly Child[] {
    if (pane === 'Rows') return [this.rows.element];
    if (pane === 'Comments') return commentsPane(this.#known?.comments ?? []);
    if (pane === 'Effects') return effectsPane(this.#known?.rehearsal ?? null);
    return conflictsPane(this.#known?.conflicts === 0 ? [] : this.#conflicts, this.#edits.settle);
  }
}
