// The few signs that elements draw, in the colour of the text around them.
// @ts-check

const shapes = {
  plus: ['M12 5v14M5 12h14'],
  smile: ['M20 11.5a8 8 0 1 1-7.5-7.5', 'M9 14.2a4 4 0 0 0 6 0', 'M9.4 9.8h.01M14.6 9.8h.01',
    'M19 2.5v6M16 5.5h6'],
  close: ['M6 6l12 12M18 6L6 18'],
  down: ['M12 5v14M6 13l6 6 6-6'],
  send: ['M12 19V5M6 11l6-6 6 6'],
};

/**
 * A sign, which is for eyes only.
 * @param {keyof typeof shapes} name @param {number} [size]
 */
export function glyph(name, size = 16) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const attributes = { viewBox: '0 0 24 24', width: size, height: size, fill: 'none',
    stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round',
    'stroke-linejoin': 'round', 'aria-hidden': 'true' };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value));
  for (const shape of shapes[name]) {
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', shape);
    svg.append(path);
  }
  return svg;
}
