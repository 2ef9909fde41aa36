// Serves the fixtures on a free loopback port, prints the base URL as one line,
// and ends when its standard input is closed.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent", chunkSize: 7, strict: true });
mock.loadFixtureFile(process.argv[2]);
await mock.start();
console.log(`${mock.url}/v1`);

process.stdin.resume();
process.stdin.on("end", async () => {
  await mock.stop();
  process.exit(0);
});
