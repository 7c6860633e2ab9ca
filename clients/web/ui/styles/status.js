// How the state of a device looks.
// @ts-check

export const statusStyle = `
:host { display: inline-block; font-size: var(--_small); }
[part=status] { display: flex; align-items: center; flex-wrap: wrap; gap: calc(2 * var(--_step)); }
.pill {
  display: inline-flex; align-items: center; gap: 6px; padding: 2px 8px; border-radius: 99px;
  font-weight: 550; color: var(--_warn); background: var(--_warn-ground);
  transition: color var(--_motion), background var(--_motion);
}
.pill[part~=good] { color: var(--_good); background: var(--_good-ground); }
.pill[part~=bad] { color: var(--_bad); background: var(--_bad-ground); }
[part=dot] { inline-size: 6px; block-size: 6px; border-radius: 50%; background: currentColor; }
[part=unsent], [part=typing] { color: var(--_soft); font-variant-numeric: tabular-nums; }
[part=unsent]:empty, [part=typing]:empty { display: none; }
`;
