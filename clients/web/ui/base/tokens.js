// The look that all elements share: colours, sizes and type, each of which a page may say.
// @ts-check

/** @type {Map<string, CSSStyleSheet>} */
const sheets = new Map();

/**
 * A style sheet that all elements with this text share.
 * @param {string} text
 */
export function sheetOf(text) {
  const known = sheets.get(text);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}

/**
 * A page sets `--sync-…`, also by `color-scheme`; what elements use begins with an underscore.
 * Each pair of ink and ground has a contrast of 4.5 : 1 at least, in light and in dark.
 */
export const tokens = `
:host {
  --_ground: var(--sync-ground, light-dark(#f6f7f9, #101216));
  --_card: var(--sync-card, light-dark(#fff, #181b21));
  --_raised: var(--sync-raised, light-dark(#fff, #22262e));
  --_line: var(--sync-line, light-dark(#e3e6eb, #2a2f38));
  --_edge: var(--sync-edge, light-dark(#868e99, #6f7986));
  --_ink: var(--sync-ink, light-dark(#14171c, #e9ecf1));
  --_soft: var(--sync-soft, light-dark(#59626e, #9aa4b2));
  --_accent: var(--sync-accent, light-dark(#2457e6, #7aa2ff));
  --_accent-ground: var(--sync-accent-ground, light-dark(#e9effe, #1f2c4d));
  --_on-accent: var(--sync-on-accent, light-dark(#fff, #101216));
  --_good: var(--sync-good, light-dark(#0f7b4d, #4fd39a));
  --_good-ground: var(--sync-good-ground, light-dark(#e3f5ec, #143427));
  --_warn: var(--sync-warn, light-dark(#8f5400, #f0b45a));
  --_warn-ground: var(--sync-warn-ground, light-dark(#fdf1dc, #3a2b12));
  --_bad: var(--sync-bad, light-dark(#b3261e, #ff8f85));
  --_bad-ground: var(--sync-bad-ground, light-dark(#fce8e6, #401b18));
  --_own: var(--sync-own, var(--_accent));
  --_own-ground: var(--sync-own-ground, var(--_accent-ground));
  --_shadow: var(--sync-shadow, 0 8px 28px light-dark(#0002, #0008));
  --_radius: var(--sync-radius, 12px);
  --_step: var(--sync-step, 4px);
  --_size: var(--sync-size, 14px);
  --_small: var(--sync-small, 12px);
  --_font: var(--sync-font, Inter, system-ui, sans-serif);
  --_emoji: var(--sync-emoji-font, 'Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji',
    sans-serif);
  --_target: 28px;
  --_motion: 120ms;
  box-sizing: border-box;
  color: var(--_ink);
  font: var(--_size) / 1.45 var(--_font);
}
:host([hidden]), [hidden] { display: none !important; }
*, *::before, *::after { box-sizing: border-box; }
button, input, textarea { font: inherit; color: inherit; }
button {
  background: none; border: 0; padding: 0; margin: 0; cursor: pointer;
  -webkit-tap-highlight-color: transparent;
}
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.emoji { font-family: var(--_emoji); font-style: normal; line-height: 1; }
.emoji.text { font-family: inherit; }
.emoji img { inline-size: 1.2em; block-size: 1.2em; vertical-align: middle; }
.unseen {
  position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
@media (pointer: coarse) { :host { --_target: 44px; } }
@media (prefers-reduced-motion: reduce) {
  :host { --_motion: 0s; }
  *, *::before, *::after { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  [aria-pressed=true], [aria-selected=true] { outline: 2px solid Highlight; }
}
`;
