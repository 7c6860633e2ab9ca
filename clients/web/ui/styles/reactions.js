// How bubbles look.
// @ts-check

export const reactionsStyle = `
:host { display: block; }
[part=bar] { display: flex; flex-wrap: wrap; gap: var(--_step); }
:host([axis=column]) [part=bar] { flex-direction: column; align-items: start; }
/* A value is whatever somebody sent: as long as it is, its count is beside it. */
.bubble, [part=add], [part=more] {
  display: inline-flex; align-items: stretch; min-block-size: var(--_target);
  min-inline-size: 0; max-inline-size: 100%;
  border: 1px solid var(--_line); border-radius: 99px; background: var(--_ground);
  font-size: var(--_small); font-variant-numeric: tabular-nums;
  transition: background var(--_motion), border-color var(--_motion);
  -webkit-touch-callout: none; user-select: none; -webkit-user-select: none;
}
.bubble[part~=own] {
  border-color: var(--_own); background: var(--_own-ground); color: var(--_own); font-weight: 650;
}
.bubble[part~=pending] { border-style: dashed; }
.bubble button {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--_step);
  touch-action: manipulation; border-radius: 99px; min-inline-size: 0;
}
.bubble button:first-child { padding-inline: calc(2 * var(--_step)); }
.bubble button:first-child:not(:last-child) { padding-inline-end: calc(.5 * var(--_step)); }
[part=who] {
  padding-inline: calc(.5 * var(--_step)) calc(2 * var(--_step)); min-inline-size: 26px;
}
[part=who]:hover { text-decoration: underline; text-underline-offset: 2px; }
[part=icon] {
  font-size: 14px; min-inline-size: 0; max-inline-size: var(--sync-reaction-max-width, 160px);
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext;
  /* What hangs below the line is not cut off. */
  padding-block: 3px;
}
[part=who], [part=count], [part=more] { flex: none; }
/* Two digits have their place already: a tenth reaction moves nobody. */
[part=count] { min-inline-size: 2ch; text-align: center; }
[part=add], [part=more] {
  align-items: center; justify-content: center; min-inline-size: var(--_target);
  padding-inline: calc(1.5 * var(--_step)); color: var(--_soft); font-size: var(--_size);
}
[part=add] { background: none; }
@media (hover: hover) {
  .bubble:hover, [part=add]:hover, [part=more]:hover { border-color: var(--_edge); }
  .bubble[part~=own]:hover { border-color: var(--_own); }
}
button:disabled { cursor: default; }
@media (pointer: coarse) {
  .bubble button:first-child, [part=who] { min-inline-size: 44px; min-block-size: 44px; }
  .bubble button:only-child { padding-inline: calc(3 * var(--_step)); }
}
`;
