// Prints the rows of queries on a trace as JSON: node trace_processor.mjs FOLDER_OF_TRACE_PROCESSOR TRACE QUERY…
//
// The folder has Perfetto's trace processor as its page runs it in a worker: trace_processor.wasm, engine_bundle.node.js
// and engine.mjs. Here it runs without a worker, so it gets the bytes of its program and says when it has started.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, trace, ...queries] = process.argv.slice(2);
const changes = [
  ["= hasMemory64Support()", "= false"],
  ["locateFile: (s) => s,", "wasmBinary: self.program,"],
  ["deferredRuntimeInitialized.resolve()", "setTimeout(self.started, 0, deferredRuntimeInitialized.resolve())"],
];
const worker = changes.reduce((source, [from, to]) => {
  if (!source.includes(from)) throw new Error(`another version of the trace processor: no ${from}`);
  return source.replace(from, to);
}, readFileSync(`${folder}/engine_bundle.node.js`, "utf8"));

globalThis.self = globalThis;
self.WorkerGlobalScope = class {};
self.location = pathToFileURL(`${folder}/`);
self.program = readFileSync(`${folder}/trace_processor.wasm`);
console.log = console.warn = () => {};
await new Promise((started) => {
  self.started = started;
  runInThisContext(worker);
});

const { port1: ours, port2: theirs } = new MessageChannel();
self.onmessage({ data: theirs });
const { EngineBase } = await import(pathToFileURL(`${folder}/engine.mjs`));
class Engine extends EngineBase {
  id = "trace";
  mode = "WASM";
  rpcSendRequestBytes(bytes) {
    ours.postMessage(bytes);
  }
}
const engine = new Engine();
ours.onmessage = (message) => engine.onRpcResponseBytes(message.data);
await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
const answers = [];
for (const query of queries) {
  const result = await engine.query(query);
  if (result.error()) throw new Error(result.error());
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(result.columns().map((column) => row.get(column)));
  }
  answers.push(rows);
}
process.stdout.write(JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
ours.close();
