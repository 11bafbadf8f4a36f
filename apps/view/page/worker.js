// The methods as WebAssembly, in a worker of the page: says what the server would say.

/** Where `begin`, `hear`, `turn`, `next` and `save` are: see `src/worker.rs`. */
let program = null;
let isRunning = true;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Turns that are due at once: a timer would wait for milliseconds. */
const { port1: due, port2: soon } = new MessageChannel();
let timer = 0;

const bytes = (at, n) => new Uint8Array(program.memory.buffer, at, n);

function fail(text) {
  isRunning = false;
  clearTimeout(timer);
  postMessage({ failed: text });
}

/** Calls the program; it is of no use after it has failed. */
function call(act) {
  if (!isRunning) return undefined;
  try {
    return act();
  } catch (error) {
    if (isRunning) fail(String(error));
    return undefined;
  }
}

/** A copy of what the program has put into its buffer. */
function taken() {
  const n = program.length();
  return bytes(program.buffer(n), n).slice();
}

/** Hands all messages of the program to the page. */
function deliver() {
  for (let kind = program.next(); kind !== 0; kind = program.next()) {
    const message = taken();
    if (kind === 1) postMessage(decoder.decode(message));
    else postMessage(message.buffer, [message.buffer]);
  }
}

function turn() {
  call(() => {
    const rest = program.turn();
    deliver();
    clearTimeout(timer);
    if (rest < 1) soon.postMessage(0);
    else timer = setTimeout(turn, rest);
  });
}

function hear(message) {
  const text = encoder.encode(message);
  bytes(program.buffer(text.length), text.length).set(text);
  program.hear();
  deliver();
  clearTimeout(timer);
  timer = setTimeout(turn, 0);
}

function save({ what, pane, number }) {
  const isThere = program.save(['scene', 'script', 'checkpoint'].indexOf(what), pane) === 1;
  const file = taken();
  postMessage(isThere ? { number, file } : { number, why: decoder.decode(file) });
}

async function begin() {
  const file = await fetch('sph.wasm');
  if (!file.ok) throw new Error(`sph.wasm: ${file.status} ${file.statusText}`);
  const env = {
    now: () => performance.now() / 1000,
    fail: (at, n) => fail(decoder.decode(bytes(at, n))),
  };
  const code = await WebAssembly.compile(await file.arrayBuffer());
  const imports = { env };
  // A library that draws reports asks for functions of a page, which nothing here calls.
  for (const { module, name } of WebAssembly.Module.imports(code)) {
    (imports[module] ??= {})[name] ??= () => {
      throw new Error(`${module}.${name} is not there`);
    };
  }
  program = (await WebAssembly.instantiate(code, imports)).exports;
  call(() => {
    program.begin();
    deliver();
  });
  due.onmessage = turn;
  onmessage = ({ data }) => call(() => (typeof data === 'string' ? hear(data) : save(data)));
  turn();
}

begin().catch((error) => fail(String(error)));
