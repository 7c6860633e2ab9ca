// How the list of those who reacted looks.
// @ts-check

export const authorsStyle = `
:host { display: contents; }
:host([inline]) { display: block; }
.float {
  padding: 0; display: none; flex-direction: column; min-inline-size: min(280px, 100vw);
  border-end-start-radius: 0; border-end-end-radius: 0; max-inline-size: none;
  max-block-size: var(--sync-authors-max-height, min(60vh, 420px));
  border-radius: 16px 16px 0 0;
}
.float:popover-open, :host([inline]) .float { display: flex; }
:host([inline]) .float {
  position: static; box-shadow: none; border-radius: var(--_radius); opacity: 1;
}
[part=top] { display: flex; align-items: center; border-block-end: 1px solid var(--_line); }
[part=tabs] {
  display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none; flex: 1;
  padding-inline: 8px; font-size: 13px;
}
[part~=tab] {
  display: inline-flex; gap: var(--_step); align-items: center; padding: 11px 7px 9px; flex: none;
  color: var(--_soft); border-block-end: 2px solid transparent; white-space: nowrap;
  font-variant-numeric: tabular-nums; min-block-size: var(--_target); user-select: none;
  -webkit-user-select: none;
}
[part~=tab][aria-selected=true] {
  color: var(--_ink); font-weight: 600; border-block-end-color: var(--_accent);
}
[part~=tab]:focus-visible { outline-offset: -3px; }
[part=close] {
  flex: none; inline-size: 36px; block-size: 36px; margin-inline-end: 6px; border-radius: 50%;
  color: var(--_soft); font-size: 18px;
}
@media (pointer: coarse) { [part=close] { inline-size: 44px; block-size: 44px; } }
[part=close]:hover { background: var(--_ground); }
[part=panel] { overflow-y: auto; overscroll-behavior: contain; padding: 6px 14px 12px; }
[part=panel]:focus-visible { outline-offset: -2px; }
[part=people] { list-style: none; margin: 0; padding: 0; }
[part~=person] {
  display: flex; align-items: center; gap: 10px; padding-block: 5px; min-block-size: 38px;
}
[part~=person][part~=pending] { color: var(--_soft); }
[part=name] {
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext;
}
[part=value], [part~=tab] .emoji {
  max-inline-size: 160px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  unicode-bidi: plaintext; padding-block: 3px;
}
[part=value] { font-size: 15px; flex: none; }
[part=more-tabs] {
  flex: none; padding-inline: 8px; min-block-size: var(--_target); color: var(--_accent);
  font-size: 13px; font-variant-numeric: tabular-nums;
}
[part=more-tabs]:hover { text-decoration: underline; }
[part=time], [part=take-back] { font-size: var(--_small); color: var(--_soft); }
[part=time] { margin-inline-start: auto; font-variant-numeric: tabular-nums;
  white-space: nowrap; unicode-bidi: plaintext;
}
[part=take-back] {
  text-decoration: underline; text-underline-offset: 2px; min-block-size: var(--_target);
  padding-inline: 4px; color: var(--_accent);
}
[part=nobody], [part=more] { color: var(--_soft); padding-block: 10px; text-align: center; }
[part=more] { inline-size: 100%; min-block-size: var(--_target); color: var(--_accent); }
`;
