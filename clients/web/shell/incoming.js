// Frames that come from the daemon: whose each one is.
// @ts-check
import { UnreadableError } from '../core/errors.js';
import { readPush } from '../core/events.js';
import { isRulesFrame, parsed } from '../core/frames.js';
import { isReadFrame, readPlaces } from '../core/read-marks.js';
import { isObject, isText } from '../core/shapes.js';

/** @typedef {import('./commands.js').Commands} Commands */
/** @typedef {import('./device.js').Device} Device */

/**
 * What comes by itself: a push, what reactions there are now, where marks are, and where the user
 * is not.
 * @typedef {{pushed: (push: any) => void, ruled: (frame: any) => void,
 *   read: (places: {name: string, through: string}[]) => void,
 *   absent: (said: any) => void}} Events
 */

/** Reads frames, and hands them on. */
export class Incoming {
  #device;
  #stats;
  #commands;
  #events;

  /**
   * @param {Device} device @param {{received: number, unreadable: number}} stats To be kept.
   * @param {Commands} commands Whose replies come. @param {Events} events
   */
  constructor(device, stats, commands, events) {
    this.#device = device;
    this.#stats = stats;
    this.#commands = commands;
    this.#events = events;
  }

  /**
   * Takes a frame. Whatever it is, the connection and all the other frames go on.
   * @param {any} text
   */
  take(text) {
    try {
      if (!isText(text)) throw new UnreadableError('it is not a text.', null, text);
      this.#stats.received += text.length;
      const frame = parsed(text);
      if (isRulesFrame(frame)) this.#events.ruled(frame);
      else if (isReadFrame(frame)) {
        this.#events.read(this.#withoutFaults(readPlaces(frame)).places);
      } else if (isObject(frame.absent)) this.#events.absent(frame.absent);
      else if ((frame.t ?? null) === null) this.#commands.take(frame);
      else {
        const { push } = this.#withoutFaults(readPush(frame));
        if (push) this.#events.pushed(push);
      }
    } catch (error) {
      if (error instanceof UnreadableError) this.#stats.unreadable++;
      this.#device.problem(error);
    }
  }

  /**
   * Tells what cannot be read, first: nothing that it causes comes before it.
   * @template {{faults: UnreadableError[]}} Read @param {Read} read
   */
  #withoutFaults(read) {
    this.#stats.unreadable += read.faults.length;
    for (const fault of read.faults) this.#device.problem(fault);
    return read;
  }
}
