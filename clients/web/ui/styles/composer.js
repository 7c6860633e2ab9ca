// How the place looks where messages are written.
// @ts-check

export const composerStyle = `
:host { display: block; background: var(--_card); }
[part=form] { display: flex; align-items: end; gap: 8px; padding: 10px 14px; }
[part=field] {
  flex: 1; min-inline-size: 0; resize: none; field-sizing: content; max-block-size: 40vh;
  padding: 7px 14px; border-radius: 18px; border: 1px solid var(--_edge); background: var(--_card);
  min-block-size: max(36px, var(--_target)); font-size: var(--_size);
}
/* Smaller text would have a phone zoom in. */
@media (pointer: coarse) { [part=field] { font-size: max(16px, var(--_size)); } }
[part=field]::placeholder { color: var(--_soft); opacity: 1; }
[part=field]:focus-visible { outline-offset: -1px; }
[part=send] {
  min-block-size: max(36px, var(--_target)); padding-inline: 14px; border-radius: 18px;
  background: var(--_accent); color: var(--_on-accent); font-weight: 550;
}
[part=send][aria-disabled=true], [part=send]:disabled {
  background: var(--_ground); color: var(--_soft); box-shadow: inset 0 0 0 1px var(--_line);
  cursor: default;
}
[part=about] {
  display: flex; align-items: center; gap: 8px; padding: 8px 14px 0; font-size: var(--_small);
  color: var(--_soft);
}
[part=about-text] { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[part=cancel] { color: var(--_accent); margin-inline-start: auto; min-block-size: var(--_target); }
`;
