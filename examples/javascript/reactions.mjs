// A reaction with PubNub's SDK, on your own server. With `make run` in another terminal:
//
//     cd examples/javascript && npm install pubnub@11.0.2
//     node reactions.mjs
import PubNub from "pubnub";

const pubnub = new PubNub({
  publishKey: "demo", subscribeKey: "demo", userId: "bob",
  origin: process.argv[2] ?? "127.0.0.1:8080", // The line that differs,
  ssl: false, // and this one, until something in front of the daemon speaks TLS.
});

pubnub.addListener({
  messageAction: ({ event, data }) => console.log(`${data.uuid} ${event} ${data.value}`),
});
await new Promise((connected) => {
  pubnub.addListener({
    status: ({ category }) => category === "PNConnectedCategory" && connected(),
  });
  pubnub.subscribe({ channels: ["room"] });
});

const message = { channel: "room", message: { text: "Shall we meet at noon?" } };
const { timetoken } = await pubnub.publish(message);
const action = { type: "reaction", value: "👍" };
await pubnub.addMessageAction({ channel: "room", messageTimetoken: timetoken, action });
const { data } = await pubnub.getMessageActions({ channel: "room", limit: 10 });
console.log(data.map(({ uuid, value }) => `${uuid} ${value}`).join(", "));
setTimeout(() => pubnub.destroy(), 1000); // Long enough to hear of the own reaction.
