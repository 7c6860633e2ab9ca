// How the list of messages looks.
// @ts-check

export const messagesStyle = `
:host {
  display: flex; flex-direction: column; background: var(--_card);
  min-block-size: var(--sync-messages-min-height, 0);
}
.frame { position: relative; flex: 1; min-block-size: 0; display: flex; flex-direction: column; }
[part=log] {
  flex: 1; min-block-size: 0; overflow-y: auto; overflow-anchor: none; overscroll-behavior: contain;
  display: flex; flex-direction: column; scrollbar-width: thin; contain: strict;
  /* Of what shows it would have none: where nothing else gives it a size, this is it. */
  contain-intrinsic-size: 320px 240px;
}
[part=log]:focus-visible { outline-offset: -2px; }
[part=notice] {
  flex: none; block-size: 40px; display: grid; place-items: center; color: var(--_soft);
  font-size: var(--_small);
}
.body { margin-block-start: auto; padding-block-end: 8px; flex: none; }
[part~=message] { padding-inline: 14px; contain: layout style; }
[part~=message]:focus-visible { outline-offset: -2px; border-radius: 8px; }
[part=day] {
  text-align: center; color: var(--_soft); font-size: var(--_small); padding-block: 12px 4px;
}
.line { position: relative; display: grid; grid-template-columns: 28px 1fr; gap: 8px; }
[part~=first] .line { padding-block-start: 10px; }
.line { padding-block: 2px; }
.said { min-inline-size: 0; -webkit-touch-callout: none; }
.face { block-size: 28px; }
[part~=message]:not([part~=first]) .face { block-size: 0; }
[part=header] { font-size: var(--_small); color: var(--_soft); display: flex; gap: 6px; }
[part=author] {
  font-weight: 550; unicode-bidi: plaintext; overflow: hidden; text-overflow: ellipsis;
}
[part=time] {
  font-variant-numeric: tabular-nums; white-space: nowrap; unicode-bidi: plaintext;
}
[part=text] {
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start;
  /* What is written the other way begins beside its author all the same. */
  inline-size: fit-content; max-inline-size: 100%;
  /* A tower of marks would stand over what others say. */
  overflow: clip; overflow-clip-margin: 6px;
}
[part=quote] {
  display: block; max-inline-size: 100%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; font-size: var(--_small); color: var(--_soft); text-align: start;
  border-inline-start: 2px solid var(--_line); padding-inline-start: 8px; margin-block: 2px;
  min-block-size: max(24px, var(--_target) - 8px);
}
[part=quote]:hover { color: var(--_ink); border-color: var(--_edge); }
[part~=pending] [part=text], [part~=deleted] [part=text] { color: var(--_soft); }
[part~=deleted] [part=text] { font-style: italic; }
[part=state] { font-size: var(--_small); color: var(--_soft); }
[part=state]:empty, [part=footer]:empty { display: none; }
[part=reactions] { margin-block: 4px 2px; }
[part=thread] {
  font-size: var(--_small); color: var(--_accent); min-block-size: var(--_target); font-weight: 550;
}
[part=thread]:hover { text-decoration: underline; }
[part=react] {
  position: absolute; inset-inline-end: 0; inset-block-start: 0; inline-size: 32px;
  block-size: 28px; border-radius: 8px; border: 1px solid var(--_line); background: var(--_raised);
  color: var(--_soft); opacity: 0; display: grid; place-items: center;
}
[part~=first] [part=react] { inset-block-start: 8px; }
.line:hover [part=react], [part~=message]:focus-within [part=react], [part=react]:focus-visible {
  opacity: 1;
}
[part=react]:hover { color: var(--_ink); border-color: var(--_edge); }
@media (hover: hover) { [part~=message]:hover { background: var(--_ground); } }
@media (pointer: coarse) {
  [part=react] { inline-size: 44px; block-size: 44px; }
  .said { user-select: none; -webkit-user-select: none; }
}
[part~=found] .line { background: var(--_accent-ground); border-radius: 8px; }
[part=past] {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 6px 14px; flex: none;
  font-size: var(--_small); color: var(--_soft); border-block-start: 1px solid var(--_line);
}
[part=back] {
  margin-inline-start: auto; color: var(--_accent); font-weight: 550;
  min-block-size: var(--_target);
}
[part=back]:hover { text-decoration: underline; }
[part=empty] {
  position: absolute; inset: 0; display: grid; place-items: center; color: var(--_soft);
  pointer-events: none;
}
[part~=newest] {
  position: absolute; inset-block-end: 10px; inset-inline: 0; margin-inline: auto;
  display: flex; align-items: center; gap: 6px; inline-size: fit-content; padding: 6px 14px;
  border-radius: 99px; font-size: var(--_small);
  min-block-size: var(--_target); background: var(--_raised); border: 1px solid var(--_line);
  box-shadow: var(--_shadow);
}
[part~=newest][part~=unseen] {
  background: var(--_accent); color: var(--_on-accent); border-color: transparent; font-weight: 550;
}
`;
