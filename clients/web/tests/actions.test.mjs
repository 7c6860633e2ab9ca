// Asking the daemon who said what.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server } from './model.mjs';
import { endWorlds, followed } from './world.mjs';

afterEach(endWorlds);

test('a page of actions is asked for as it is said, and comes as the daemon has it', async () => {
  const { world, timetoken } = await followed(new Server());
  const query = { messageTimetoken: timetoken, value: ['👍', '❤️'], sort: 'value', after: 'v.x' };
  const asked = world.channel.actions(query);
  await world.settle();
  assert.deepEqual(await asked, { actions: [], next: 'v.y' });
  const { id, ...sent } = world.sent.find(({ op }) => op === 'actions');
  assert.deepEqual(sent, { ...query, op: 'actions', channel: world.channel.name });
  await assert.rejects(world.channel.actions({ offset: 25 }), /sort.*not offset/);
  world.cut();
  await assert.rejects(world.channel.actions(), { code: 'offline' });
});
