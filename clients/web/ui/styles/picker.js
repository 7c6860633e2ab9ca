// How the picker looks: a row of reactions, and behind its plus everything that there is.
// @ts-check

export const pickerStyle = `
:host { display: contents; --_cell: 36px; --_widest: 300px; }
:host([inline]) { display: block; }
@media (pointer: coarse) { :host { --_cell: 44px; --_widest: 336px; } }
.float { padding: 0; max-inline-size: min(100vw - 16px, 360px); }
.float:not(.open-search) { border-radius: calc(var(--_cell) / 2 + 6px); }
:host([inline]) .float {
  display: block; position: static; inline-size: fit-content; box-shadow: none; opacity: 1;
}
[part=row] {
  display: flex; align-items: center; gap: 2px; padding: var(--_step);
  max-inline-size: var(--sync-picker-max-width, var(--_widest)); overflow-x: auto;
  scrollbar-width: none;
  overscroll-behavior: contain;
}
.float.open-search [part=row] { max-inline-size: none; }
[part~=choice], [part=plus] {
  flex: none; inline-size: var(--_cell); block-size: var(--_cell); border-radius: 50%;
  display: inline-grid; place-items: center; font-size: 20px;
  transition: scale var(--_motion), background var(--_motion); touch-action: manipulation;
}
/* What scrolls goes below the plus, which is in sight however narrow the page is. */
.float:not(.open-search) [part=plus] {
  position: sticky; inset-inline-end: calc(-1 * var(--_step)); background: var(--_raised);
  box-shadow: 0 0 4px 4px var(--_raised);
}
[part=row] { scroll-padding-inline: 0 calc(var(--_cell) + 4px); }
[part~=choice]:focus-visible, [part=plus]:focus-visible { outline-offset: -2px; }
[part~=word] {
  inline-size: auto; padding-inline: 10px; border-radius: 99px; font-size: var(--_size);
  display: inline-block; max-inline-size: 160px; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap;
}
[part=plus] { color: var(--_soft); font-size: 18px; }
[part~=own] { background: var(--_own-ground); box-shadow: inset 0 0 0 1.5px var(--_own); }
@media (hover: hover) {
  [part~=choice]:hover, [part=plus]:hover { background: var(--_ground); scale: 1.12; }
  [part~=own]:hover { background: var(--_own-ground); }
}
[part=panel] {
  border-block-start: 1px solid var(--_line); inline-size: min(100vw - 18px, 340px);
  display: flex; flex-direction: column;
}
[part=search] {
  margin: 8px 8px 4px; padding: 7px 12px; min-block-size: 36px; border-radius: 99px;
  border: 1px solid var(--_edge); background: var(--_card); font-size: var(--_size);
}
[part=search]:focus-visible { outline-offset: -1px; }
/* Smaller text would have a phone zoom in. */
@media (pointer: coarse) { [part=search] { font-size: max(16px, var(--_size)); } }
[part=search]::placeholder { color: var(--_soft); opacity: 1; }
[part=grid] {
  block-size: min(248px, 40vh); overflow-y: auto; padding-inline: 8px;
  overscroll-behavior: contain; scrollbar-width: thin;
}
[part=group] { padding-block-end: 8px; }
[part=heading] {
  margin: 0; padding-block: 6px 2px; font-size: var(--_small); font-weight: 550;
  color: var(--_soft); position: sticky; inset-block-start: 0; background: var(--_raised);
  z-index: 1;
}
.emoji-cells {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(var(--_cell), 1fr));
  justify-items: center;
}
[part=tones] {
  display: flex; gap: 2px; padding: var(--_step) 8px; border-block-start: 1px solid var(--_line);
  align-items: center; color: var(--_soft); font-size: var(--_small);
}
[part=tones] span { margin-inline-end: auto; }
[part~=tone] {
  inline-size: 28px; block-size: 28px; border-radius: 50%; font-size: 16px; display: inline-grid;
  place-items: center;
}
@media (pointer: coarse) { [part~=tone] { inline-size: 44px; block-size: 44px; } }
[part~=tone][aria-checked=true] {
  background: var(--_own-ground); box-shadow: inset 0 0 0 1.5px var(--_own);
}
[part=actions] {
  border-block-start: 1px solid var(--_line); padding: var(--_step);
  display: flex; flex-direction: column;
}
[part=actions]:empty { display: none; }
[part~=action] {
  text-align: start; padding: 6px 10px; border-radius: 8px; min-block-size: 32px;
}
@media (pointer: coarse) { [part~=action] { min-block-size: 44px; } }
[part~=action]:hover { background: var(--_ground); }
[part~=danger] { color: var(--_bad); }
.float.with-actions { border-radius: var(--_radius); }
`;
