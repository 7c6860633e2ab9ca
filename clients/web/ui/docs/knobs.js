// Knobs of the page that shows the elements: a form whose fields change something at once.
// @ts-check
import { make } from '../base/dom.js';

/** @param {string} label @param {readonly string[]} values @param {(value: string) => void} set */
export function choice(label, values, set) {
  const field = make('select', { on: { change: () => set(field.value) } },
    ...values.map((it) => make('option', { value: it }, it)));
  return make('label', {}, label, field);
}

/** @param {string} label @param {(isOn: boolean) => void} set @param {boolean} [isOn] */
export function check(label, set, isOn = false) {
  const field = make('input', { type: 'checkbox', checked: isOn,
    on: { change: () => set(field.checked) } });
  return make('label', {}, field, label);
}

/**
 * @param {string} label @param {string} type @param {string} value
 * @param {(value: string) => void} set
 */
export function field(label, type, value, set) {
  const input = make('input', { type, value, on: { input: () => set(input.value) } });
  return make('label', {}, label, input);
}

/** @param {string} label @param {() => void} press */
export const press = (label, press) =>
  make('button', { type: 'button', class: 'knob', on: { click: press } }, label);

/**
 * An attribute of an element; empty takes it away.
 * @param {Element} element @param {string} name
 */
export const attribute = (element, name) => (/** @type {string|boolean} */ value) => {
  if (value === '' || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
};
