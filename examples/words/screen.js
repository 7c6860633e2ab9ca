// What both pages draw: rooms, their messages, and buttons. It knows no service's words.

/**
 * What a page draws of a reaction: its picture, how much it counts for, who is named, and whether
 * the user's own is among them.
 * @typedef {{picture: string, count: number, people: string[], isMine: boolean}} Drawn
 */

/** Everything that can be tapped in a room, by the first part of its name. */
export const taps = {
  unique: ['like', 'love', 'haha'],
  distinct: ['like', 'love', 'haha'],
  multiple: ['clap', 'clap five times', 'no clap'],
  total: ['one more', 'one less'],
  flag: ['flag'],
};

/** Where a page says who it is and where the daemon is: `?daemon=HOST:PORT&user=ada&room=words`. */
export function settings() {
  const query = new URLSearchParams(location.search);
  const daemon = query.get('daemon') ?? '127.0.0.1:8080';
  return { url: `ws://${daemon}/v1/sync`, daemon, user: query.get('user') ?? 'ada',
    room: query.get('room') ?? 'words' };
}

/** One line of a reaction: "👏 26 (ada ×21, bob ×5) ✓". */
const textOf = (/** @type {Drawn} */ { picture, count, people, isMine }) =>
  `${picture} ${count}${people.length > 0 ? ` (${people.join(', ')})` : ''}${isMine ? ' ✓' : ''}`;

/** A room on the screen. */
export class Room {
  #list;
  #kind;
  #tapped;

  /**
   * @param {keyof typeof taps} kind
   * @param {(message: string, tap: string) => Promise<unknown>} tapped Does what a button says.
   * @param {(text: string) => Promise<unknown>} sent Sends a message.
   */
  constructor(kind, tapped, sent) {
    this.#kind = kind;
    this.#tapped = tapped;
    const section = document.createElement('section');
    section.id = kind;
    section.innerHTML = '<h2></h2><ol></ol><form><input name="text" autocomplete="off"></form>';
    const [title, list, form] = /** @type {any} */ (section.children);
    title.textContent = kind;
    this.#list = list;
    form.onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      sent(form.elements.text.value).catch(report);
      form.reset();
    };
    document.querySelector('main')?.append(section);
  }

  /** @param {{id: string|null, user: string, text: string, reactions: Drawn[]}[]} messages */
  draw(messages) {
    this.#list.replaceChildren(...messages.map(({ id, user, text, reactions }) => {
      const line = document.createElement('li');
      const pictures = reactions.sort((left, right) => left.picture < right.picture ? -1 : 1);
      const said = document.createElement('p');
      said.textContent = [`${user}: ${text}`, ...pictures.map(textOf)].join(' ');
      line.append(said, ...id === null ? [] : taps[this.#kind].map((tap) => {
        const button = document.createElement('button');
        button.textContent = tap;
        button.onclick = () => this.#tapped(id, tap).catch(report);
        return button;
      }));
      return line;
    }));
  }
}

/** Says on the page what went wrong. */
export function report(/** @type {any} */ error) {
  const place = document.querySelector('#problem');
  if (place) place.textContent = error.message;
}
